package browser

import (
	"os/exec"
	"syscall"
)

func hasGPU() bool   { return true }
func smallShm() bool { return false }

func noDisplay(func(string) string) bool { return false }

// bind gives the browser a process group of its own. When Kuang dies, the closed pipe makes the browser end.
func bind(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
