package assets

import _ "embed"

//go:embed icons/kuang.png
var icon []byte

// Icon is the program's mark as a PNG of 128 px, for the window.
func Icon() []byte { return icon }
