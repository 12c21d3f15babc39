package browser

import (
	"os"
	"os/exec"
	"syscall"
)

// minShm is the room in /dev/shm below which Chromium's pages die; containers give 64 MiB unless told otherwise.
const minShm = 512 << 20

func hasGPU() bool {
	_, err := os.Stat("/dev/dri")
	return err == nil
}

func smallShm() bool {
	var fs syscall.Statfs_t
	if err := syscall.Statfs("/dev/shm", &fs); err != nil {
		return true
	}
	return fs.Blocks*uint64(fs.Bsize) < minShm
}

// noDisplay says that a browser with a window has nowhere to show it.
func noDisplay(env func(string) string) bool {
	return env("DISPLAY") == "" && env("WAYLAND_DISPLAY") == ""
}

// bind ties the browser's life to ours: the kernel kills it when the thread that started it ends, which is why the
// thread is kept. It also gives the browser a process group of its own, so that it can be ended whole and an
// interrupt from the terminal reaches only Kuang.
func bind(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
