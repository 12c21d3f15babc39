// Package assets holds what the program carries besides its code: the script that reads and watches pages and the sample
// pages. The documents beside them are for readers of the repository and stay out of the program.
package assets

import (
	"embed"
	"io/fs"
	"strings"
)

//go:embed page/*.js
var pageFiles embed.FS

//go:embed all:fixtures
var fixtureFiles embed.FS

// pageModules are the files of the page script. They share one scope; a file stands below those whose constants it
// needs when it is loaded.
var pageModules = [...]string{
	"dom", "refusal", "roles", "names", "facts", "marks", "selectors", "components", "text", "state", "frames", "find",
	"target", "watch", "act", "wait", "api",
}

// PageScript is the library for the isolated world of a page, as one expression that returns its API object.
func PageScript() string {
	var b strings.Builder
	b.WriteString("(() => {\n\"use strict\";\n")
	for _, name := range pageModules {
		b.Write(must(pageFiles.ReadFile("page/" + name + ".js")))
	}
	b.WriteString("return api;\n})()")
	return b.String()
}

// Fixtures are the sample pages, each at the root by its file name.
func Fixtures() fs.FS { return must(fs.Sub(fixtureFiles, "fixtures")) }

// must gives what the embed directives above guarantee to be there.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
