//go:build unix && !linux

package kafkarig

import "syscall"

// attributes keep the child out of our terminal's signals.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
