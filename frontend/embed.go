// Package frontend holds the panel and hands its built files to the desktop shell.
package frontend

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var dist embed.FS

// Assets returns the built panel with index.html at its root. A checkout that has not built the panel yet holds the
// placeholder only; Built tells the two apart.
func Assets() fs.FS {
	sub, err := fs.Sub(dist, "dist")
	if err != nil {
		panic(err) // The directive above guarantees the folder.
	}
	return sub
}

// Built reports whether the panel has been built into this binary.
func Built() bool {
	_, err := fs.Stat(Assets(), "index.html")
	return err == nil
}
