package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"firebreak/actuator"
	"firebreak/actuator/notify"
	"firebreak/internal/config"
	"firebreak/internal/strictyaml"
)

// newNotifyCommand builds `firebreak notify`: what has to do with receivers.
func newNotifyCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "notify", Short: "Try the receivers of a configuration", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		return usageError{errors.New("want: firebreak notify test RECEIVER --config FILE")}
	}}
	cmd.AddCommand(newNotifyTestCommand())
	return cmd
}

// newNotifyTestCommand builds `firebreak notify test`: send one message for real.
func newNotifyTestCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use:   "test RECEIVER --config FILE",
		Short: "Send a test message to a receiver and say what it answered",
		Long: `Send one message that is marked as a test to a receiver of the configuration, exactly as run would, and say what it answered.
Where messages have a state the test is taken back at once: a message of a bot is updated, an incident of PagerDuty (which may
call somebody) is resolved, an alert ends. It is tried once; no instance and no Kafka is needed, and no journal knows of it.

Exits 1 if it was not taken.`,
		Example: `  firebreak notify test oncall --config firebreak.yml`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, guide, err := receiverNamed(path, args[0])
			if err != nil {
				return err
			}
			return testReceiver(cmd, r, senderOf(r, guide), time.Now())
		},
	}
	cmd.Flags().StringVar(&path, "config", "", "configuration file (YAML)")
	return cmd
}

// receiverNamed reads a configuration and finds one of its receivers.
func receiverNamed(path, name string) (*notify.Receiver, *notify.Guide, error) {
	if path == "" {
		return nil, nil, usageError{errors.New("--config: which file has the receiver")}
	}
	data, err := os.ReadFile(path) //nolint:gosec // G304: the file that was asked for
	if err != nil {
		return nil, nil, usageError{err}
	}
	cfg, err := config.Parse(path, data)
	if err != nil {
		return nil, nil, usageError{oneLine(err)}
	}
	cfg.Beside(filepath.Dir(path))
	var names []string
	for i := range cfg.Notify.Receivers {
		r := &cfg.Notify.Receivers[i]
		if r.Name == name {
			return r, guideOf(cfg), nil
		}
		names = append(names, r.Name)
	}
	if len(names) == 0 {
		return nil, nil, usageError{fmt.Errorf("%s has no receivers: see notify.receivers in docs/config.md", path)}
	}
	text := fmt.Sprintf("%s has no receiver %s", path, shownName(name))
	if near := strictyaml.Nearest(name, names); near != "" {
		return nil, nil, usageError{fmt.Errorf("%s; did you mean %s?", text, shownName(near))}
	}
	return nil, nil, usageError{fmt.Errorf("%s; it has %s", text, printable(strings.Join(names, ", ")))}
}

// testReceiver sends a test and takes it back.
func testReceiver(cmd *cobra.Command, r *notify.Receiver, s notify.Sender, now time.Time) error {
	n := &notify.Notice{Receiver: r.Name, Key: "test-" + actuator.NewID("test", r.Name, now.String()), Attempt: 1, Test: &notify.Test{At: now}}
	what := fmt.Sprintf("receiver %s, %s", shownName(r.Name), destination(r))
	receipt, err := s.Send(cmd.Context(), n)
	if err != nil {
		return fmt.Errorf("%s: not taken: %s", what, answerOf(err))
	}
	text := what + ": taken"
	if receipt != "" {
		text += ", as " + printable(receipt)
	}
	if r.Webhook == nil && (r.Slack == nil || !r.Slack.Hook()) {
		n.Receipt, n.Test = receipt, &notify.Test{At: now, Over: true}
		if _, err := s.Send(cmd.Context(), n); err != nil {
			return fmt.Errorf("%s; not taken back: %s", text, answerOf(err))
		}
		text += "; taken back"
	}
	_, err = fmt.Fprintln(cmd.OutOrStdout(), text)
	return err
}

// answerOf says why a notice was not taken, and what run would do.
func answerOf(err error) string {
	f, ok := errors.AsType[*notify.Failure](err)
	switch {
	case !ok:
		return printable(err.Error())
	case f.Final:
		return printable(f.Why) + " (run would give up: mend it)"
	case f.Person:
		return printable(f.Why) + " (run would try again every 5 minutes: mend it)"
	case f.After > 0:
		return printable(f.Why) + fmt.Sprintf(" (run would try again after %s)", f.After)
	}
	return strings.TrimSpace(printable(f.Why)) + " (run would try again)"
}
