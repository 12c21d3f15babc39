package browser

func ProfileHolder(profile string) (pid int, held bool) { return 0, false }
