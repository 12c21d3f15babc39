package app

// version is set by the linker: -X kuang/app.version=1.2.3.
var version = "0.1.0"

// Version is Kuang's version.
func Version() string { return version }
