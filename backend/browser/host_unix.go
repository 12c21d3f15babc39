//go:build linux || darwin

package browser

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// give hands the browser its ends of the pipe: it reads commands from descriptor 3 and writes answers to 4.
func give(cmd *exec.Cmd, read, write *os.File) error {
	cmd.ExtraFiles = []*os.File{read, write}
	return nil
}

// killGroup ends the browser and every process it started.
func killGroup(pid int) { _ = syscall.Kill(-pid, syscall.SIGKILL) }

func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
