// Command peers measures the work of firebreak's hot path done by the libraries of others, in one run with firebreak's
// own code and the standard library's. It is a module of its own, so that the product depends on none of them.
//
//	go run . decode [-rounds 101] [-round 1ms]
//	go run . sketch [-rounds 31] [-panes 60] [-updates 100000]
package main

import (
	"errors"
	"fmt"
	"io"
)

// run does what the first argument says.
func run(args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("want decode or sketch")
	}
	switch args[0] {
	case "decode":
		return runDecode(args[1:], out)
	case "sketch":
		return runSketch(args[1:], out)
	default:
		return fmt.Errorf("%q: want decode or sketch", args[0])
	}
}
