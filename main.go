// Command kuang is a control panel and a local agent API around one Chromium.
package main

import (
	"os"

	"kuang/app"
)

func main() { os.Exit(app.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
