//go:build unix

package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// claimOutput takes standard output for frames alone: what a library prints goes to the log instead.
func claimOutput() (*os.File, error) {
	fd, err := unix.FcntlInt(os.Stdout.Fd(), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, err
	}
	if err := unix.Dup2(int(os.Stderr.Fd()), int(os.Stdout.Fd())); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "frames"), nil
}
