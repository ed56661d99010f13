package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"firebreak/actuator"
	"firebreak/internal/line"
	wording "firebreak/internal/words"
)

// sayFlags are the flags of accept and dismiss.
type sayFlags struct {
	config, reason, by string
	until              string // of accept only
}

func (s *sayFlags) define(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&s.config, "config", "", "configuration file (YAML)")
	f.StringVar(&s.reason, "reason", "", "why, for who reads the report")
	f.StringVar(&s.by, "by", "", "who says it (default: $USER)")
}

// newAcceptCommand builds `firebreak accept`: a person knows of a hotspot.
func newAcceptCommand() *cobra.Command {
	var flags sayFlags
	cmd := &cobra.Command{
		Use:   "accept HOTSPOT --until TIME --reason TEXT --config FILE",
		Short: "Keep a hotspot visible and silent for a while",
		Long: `Say that a hotspot is known: it stays on the page and in the report, and receivers hear no more of it, until it ends (which they
hear), the time is over, or the load of its shard is 25 % above that of now. HOTSPOT is its id, or at least 6 letters of its beginning.

It is one entry of the journal: no instance has to live, and none has to be asked.`,
		Example: `  firebreak accept 4be1a7c0 --until 8h --reason "the nightly import" --config firebreak.yml
  firebreak accept 4be1a7c0 --until 2026-03-09T08:00:00Z --reason "a new shard comes on Monday" --config firebreak.yml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			now := time.Now()
			until, err := untilOf(flags.until, now)
			if err != nil {
				return usageError{err}
			}
			return flags.say(cmd, args[0], now, func(ctx context.Context, logs *ourLogs, s *spotted) (actuator.Entry, string, error) {
				if !s.over.IsZero() {
					return actuator.Entry{}, "", usageError{fmt.Errorf("hotspot %s: there is nothing to accept", s.text())}
				}
				load, err := loadNow(ctx, logs.history, s, now)
				if err != nil {
					return actuator.Entry{}, "", err
				}
				e, err := actuator.NewAccepted(s.fleet, now, actuator.Accepted{
					Hotspot: line.Name(s.id), By: line.Name(flags.by), Reason: line.Prose(flags.reason), Until: line.Stamp(until), Load: line.Number(load),
				})
				return e, fmt.Sprintf("accepted until %s, or until its load is %s", wording.Clock(until), wording.Rate(actuator.ReopenFactor*load)), err
			})
		},
	}
	flags.define(cmd)
	cmd.Flags().StringVar(&flags.until, "until", "", "RFC 3339 time, or how long from now: 8h, 3d; at most 30d")
	return cmd
}

// newDismissCommand builds `firebreak dismiss`: a person says that a hotspot is a false alarm.
func newDismissCommand() *cobra.Command {
	var flags sayFlags
	cmd := &cobra.Command{
		Use:   "dismiss HOTSPOT --reason TEXT --config FILE",
		Short: "Say that a hotspot was a false alarm",
		Long: `Say that a hotspot, open or over, is a false alarm. It counts in the precision of the weekly report; while it is open receivers hear
no more of it but its end. HOTSPOT is its id, or at least 6 letters of its beginning.`,
		Example: `  firebreak dismiss 4be1a7c0 --reason "the load test of Tuesday" --config firebreak.yml`,
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			now := time.Now()
			return flags.say(cmd, args[0], now, func(_ context.Context, _ *ourLogs, s *spotted) (actuator.Entry, string, error) {
				e, err := actuator.NewDismissed(s.fleet, now, actuator.Dismissed{Hotspot: line.Name(s.id), By: line.Name(flags.by), Reason: line.Prose(flags.reason)})
				return e, "dismissed as a false alarm", err
			})
		},
	}
	flags.define(cmd)
	return cmd
}

// say appends what a person says of a hotspot, which entry makes.
func (s *sayFlags) say(cmd *cobra.Command, id string, now time.Time, entry func(context.Context, *ourLogs, *spotted) (actuator.Entry, string, error)) error {
	if strings.TrimSpace(s.reason) == "" {
		return usageError{errors.New("--reason: want why: the report says it")}
	}
	if s.by == "" {
		s.by = os.Getenv("USER")
	}
	if s.by == "" {
		return usageError{errors.New("--by: want who says it ($USER is not set)")}
	}
	cfg, err := commandConfig(s.config, "which file says where the journal is")
	if err != nil {
		return err
	}
	logs, err := openLogs(cfg)
	if err != nil {
		return err
	}
	defer logs.Close()
	ctx := cmd.Context()
	all, err := hotspotsOf(ctx, logs.journal, now, spokenBack)
	if err != nil {
		return err
	}
	hot, err := named(all, id)
	if err != nil {
		return err
	}
	e, done, err := entry(ctx, logs, hot)
	if err != nil {
		return err
	}
	e.Instance = instanceName()
	b, err := actuator.Encode(&e)
	if err != nil {
		return err
	}
	if _, err := logs.journal.Append(ctx, b); err != nil {
		return err
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "hotspot %s: %s\n", hot.text(), done)
	return err
}

// untilOf reads a time, or how long from now on.
func untilOf(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return time.Time{}, errors.New("--until: want a time (RFC 3339), or how long from now, such as 8h or 3d")
	}
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, inTime(text, at, now)
	}
	if days, ok := strings.CutSuffix(text, "d"); ok {
		if n, err := strconv.Atoi(days); err == nil && n > 0 && n <= 1000 {
			at := now.Add(time.Duration(n) * 24 * time.Hour)
			return at, inTime(text, at, now)
		}
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return time.Time{}, fmt.Errorf("--until %s: want a time (RFC 3339), or how long from now, such as 8h or 3d", shownName(text))
	}
	return now.Add(d), inTime(text, now.Add(d), now)
}

func inTime(text string, at, now time.Time) error {
	if !at.After(now) || at.Sub(now) > actuator.MaxAccept {
		return fmt.Errorf("--until %s: want a time to come, at most %d days from now", shownName(text), int(actuator.MaxAccept.Hours()/24))
	}
	return nil
}
