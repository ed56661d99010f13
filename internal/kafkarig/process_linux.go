package kafkarig

import "syscall"

// attributes keep the child out of our terminal's signals, and end it when we end.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
