package app

import (
	"kuang/backend/page"
	"kuang/backend/tool"
)

// listing is the registry without the services behind it: enough to describe the verbs, not to run them.
func listing() (*tool.Registry, error) {
	return tool.NewRegistry(page.Verbs(page.Deps{})...)
}
