package app

import "slices"

// wailsFlags are read from the command line by the desktop shell itself in builds that serve the panel to a browser.
var wailsFlags = []string{"-assetdir", "-devserver", "-frontenddevserverurl", "-loglevel"}

// withoutWailsFlags leaves the shell's own flags and their values out.
func withoutWailsFlags(args []string) []string {
	var ours []string
	for i := 0; i < len(args); i++ {
		if slices.Contains(wailsFlags, args[i]) {
			i++
			continue
		}
		ours = append(ours, args[i])
	}
	return ours
}
