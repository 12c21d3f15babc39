package browser

import (
	"fmt"
	"os"
	"os/exec"
	"slices"
	"syscall"
)

func hasGPU() bool                       { return true }
func smallShm() bool                     { return false }
func noDisplay(func(string) string) bool { return false }

func bind(*exec.Cmd) {}

// give hands the browser its ends of the pipe as two inherited handles, which Windows has in place of descriptors.
func give(cmd *exec.Cmd, read, write *os.File) error {
	in, out := syscall.Handle(read.Fd()), syscall.Handle(write.Fd())
	for _, h := range []syscall.Handle{in, out} {
		if err := syscall.SetHandleInformation(h, syscall.HANDLE_FLAG_INHERIT, syscall.HANDLE_FLAG_INHERIT); err != nil {
			return fmt.Errorf("sharing a pipe with the browser: %w", err)
		}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{AdditionalInheritedHandles: []syscall.Handle{in, out}}
	cmd.Args = slices.Insert(cmd.Args, 1, fmt.Sprintf("--remote-debugging-io-pipes=%d,%d", in, out))
	return nil
}

func killGroup(pid int) {
	if p, err := os.FindProcess(pid); err == nil {
		_ = p.Kill()
	}
}

// alive is not asked on Windows: the profile's lock there is no link that names a process.
func alive(int) bool { return false }
