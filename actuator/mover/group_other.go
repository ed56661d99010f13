//go:build !unix

package mover

import "os/exec"

// ownGroup does nothing where there are no process groups: the program alone is killed.
func ownGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) {}
