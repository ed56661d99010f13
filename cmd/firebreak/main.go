// Command firebreak finds the hot shards of a sharded store from a sampled request log, names the cause of each and
// proves its fix with numbers.
//
// Exit codes: 0 done; 1 an error while working; 2 wrong usage, nothing was done; 3 done, and what --fail-on names was
// found.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// The exit codes of every command.
const (
	exitOK     = 0
	exitError  = 1
	exitUsage  = 2
	exitFailOn = 3
)

// errFailOn ends a command that did its work and found what --fail-on names. It is not printed as an error.
var errFailOn = errors.New("found what --fail-on names")

// usageError is a mistake in flags or arguments: nothing was done.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	go func() { // the second signal ends at once
		<-ctx.Done()
		stop()
	}()
	err := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	code := exitCode(err)
	if code == exitError || code == exitUsage {
		fmt.Fprintln(os.Stderr, "firebreak:", err)
	}
	os.Exit(code)
}

// run is the program without a process: what it reads and writes is given. Its error is one line, see [exitCode].
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	root := newRootCommand() //nolint:contextcheck // cobra hands commands their context
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	started := false
	root.PersistentPreRun = func(*cobra.Command, []string) { started = true }
	err := root.ExecuteContext(ctx)
	if err != nil && !started {
		// Flags and arguments are read before any command starts. Suggestions of cobra are several lines.
		return usageError{errors.New(strings.Join(strings.Fields(err.Error()), " "))}
	}
	return err
}

// exitCode is the exit code that an error of run stands for.
func exitCode(err error) int {
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.Is(err, errFailOn):
		return exitFailOn
	}
	return exitError
}

// newRootCommand lists the commands; each is built in a file of its own.
func newRootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "firebreak",
		Short:         "Find hot shards, name the cause, prove the fix",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetFlagErrorFunc(flagError)
	root.AddCommand(
		newAcceptCommand(), newBenchCommand(), newDemoCommand(), newDismissCommand(), newDoctorCommand(), newExplainCommand(), newHealthcheckCommand(),
		newInitCommand(), newInspectCommand(), newNotifyCommand(), newReplayCommand(), newReportCommand(), newReshardCommand(),
		newActionsCommand(), newResumeCommand(), newRouteCommand(), newRunCommand(), newStopCommand(), newTableCommand(), newWhatifCommand(),
	)
	return root
}
