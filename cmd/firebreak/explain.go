package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"firebreak/internal/config"
	"firebreak/internal/history"
	"firebreak/routing"
)

// explainFlags are the flags of explain.
type explainFlags struct {
	config, at, output, failOn string

	today bool // judge by the configuration of today
}

// newExplainCommand builds `firebreak explain`: judge a stored verdict again and show its arithmetic.
func newExplainCommand() *cobra.Command {
	var flags explainFlags
	cmd := &cobra.Command{
		Use:   "explain HOTSPOT --config FILE",
		Short: "Judge a hotspot's stored inputs again, and show the arithmetic of its verdict",
		Long: `Read the inputs that a verdict was given (they are kept for 35 days), judge them again with this firebreak, and say whether the
answer is the same to the byte, or line by line what is not. Then show where each number of the verdict comes from, with the closed formula
beside each projection. HOTSPOT is its id, or at least 6 letters of its beginning. Both logs are only read.

A hotspot that was revised or is over has several verdicts; the newest that fires is explained, or the one of --at.`,
		Example: `  firebreak explain 4be1a7c0 --config firebreak.yml
  firebreak explain 4be1a7c0 --as-configured --config firebreak.yml
  firebreak explain 4be1a7c0 --at 2026-03-02T09:31:00Z --output json --config firebreak.yml`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return flags.run(cmd, args[0], time.Now()) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.config, "config", "", "configuration file (YAML)")
	f.StringVar(&flags.at, "at", "", "the verdict of this time (RFC 3339; a beginning of it will do)")
	f.BoolVar(&flags.today, "as-configured", false, "judge by the fleet's policy as the file has it today, not by that of then")
	f.StringVar(&flags.failOn, "fail-on", "", "difference: exit with 3 if the answer is another")
	f.StringVar(&flags.output, "output", "text", "text or json")
	return cmd
}

func (x *explainFlags) run(cmd *cobra.Command, id string, now time.Time) error {
	switch {
	case x.output != "text" && x.output != "json":
		return unknown("output", x.output, []string{"text", "json"})
	case x.failOn != "" && x.failOn != "difference":
		return wrong("fail-on", x.failOn, "difference")
	}
	cfg, err := commandConfig(x.config, "which file says where the journal and the history are")
	if err != nil {
		return err
	}
	logs, err := openLogs(cfg)
	if err != nil {
		return err
	}
	defer logs.Close()
	all, err := hotspotsOf(cmd.Context(), logs.journal, now, journalBefore)
	if err != nil {
		return err
	}
	hot, err := named(all, id)
	if err != nil {
		return err
	}
	found, err := evidenceOf(cmd.Context(), logs, hot)
	if err != nil {
		return err
	}
	defer found.Close()
	e, err := found.choose(x.at, hot)
	if err != nil {
		return x.missing(cfg, err)
	}
	if x.today {
		if err := asConfigured(cfg, e); err != nil {
			return err
		}
	}
	out, err := explained(cfg, hot, e, found)
	if err != nil {
		return err
	}
	out.AsConfigured = x.today
	if x.output == "json" {
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(out)
	} else {
		err = out.write(cmd.OutOrStdout())
	}
	if err == nil && x.failOn != "" && !out.Same {
		err = errFailOn
	}
	return err
}

// missing says of evidence that is not there why that may be.
func (x *explainFlags) missing(cfg *config.Config, err error) error {
	if errors.Is(err, errNoEvidence) && cfg.Redact() != nil && !cfg.History.KeepEvidence {
		return fmt.Errorf("%w: journal.redact hides names, so it is not kept; history.keep_evidence keeps it all the same", err)
	}
	return err
}

// asConfigured puts the policy of today in the place of that of then.
func asConfigured(cfg *config.Config, e *history.Evidence) error {
	for i := range cfg.Fleets {
		if f := &cfg.Fleets[i]; f.Name == e.Snapshot.Fleet {
			e.Config = f.Judge()
			return nil
		}
	}
	return usageError{fmt.Errorf("--as-configured: the file has no fleet %s", routing.Escape(e.Snapshot.Fleet))}
}

// thisBuild is the version of this firebreak, as the history names it.
func thisBuild() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return ""
}

// shownBuild names a version for people.
func shownBuild(version string) string {
	if version = strings.Trim(version, "()"); version == "" {
		return "of no version"
	}
	return printable(version)
}
