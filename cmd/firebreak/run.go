package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"firebreak/internal/config"
)

// runFlags are the flags of run.
type runFlags struct {
	config     string
	standalone bool
}

// farewell bounds the end of a run: what takes longer is given up.
const farewell = 25 * time.Second

// newRunCommand builds `firebreak run`: watch live request logs.
func newRunCommand() *cobra.Command {
	var flags runFlags
	cmd := &cobra.Command{
		Use:   "run --config FILE",
		Short: "Watch live request logs: count, judge, tell",
		Long: `Watch the request logs that the configuration names. Any number of instances with one group share the work; each record is
counted once, whichever of them dies. One of them decides, writes the journal and tells the receivers.

The first signal (SIGTERM, Ctrl-C) publishes what is counted, hands over and ends within 25 s; the second one ends at once.

--standalone reads only: one instance, no consumer group, no topics of ours. It watches and logs, and tells receivers.`,
		Example: `  firebreak doctor --config firebreak.yml
  firebreak run --config firebreak.yml
  firebreak run --config firebreak.yml --standalone`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := flags.read()
			if err != nil {
				return err
			}
			log, err := newLogger(cfg, cmd.ErrOrStderr())
			if err != nil {
				return err
			}
			return flags.run(cmd.Context(), cfg, log)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.config, "config", "", "configuration file (YAML)")
	f.BoolVar(&flags.standalone, "standalone", false, "read only: one instance, no group, no topics of ours")
	return cmd
}

// read reads the configuration. A mistake is a usageError.
func (r *runFlags) read() (*config.Config, error) {
	if r.config == "" {
		return nil, usageError{errors.New("--config: which file says what to watch")}
	}
	data, err := os.ReadFile(r.config)
	if err != nil {
		return nil, usageError{err}
	}
	cfg, err := config.Parse(r.config, data)
	if err != nil {
		return nil, usageError{oneLine(err)}
	}
	if err := cfg.Runnable(); err != nil {
		return nil, usageError{oneLine(fmt.Errorf("%s: %w", r.config, err))}
	}
	cfg.Beside(filepath.Dir(r.config))
	return cfg, nil
}

// run watches until the context ends, then leaves in order.
func (r *runFlags) run(ctx context.Context, cfg *config.Config, log *zap.Logger) error {
	d, err := newDaemon(cfg, filepath.Dir(r.config), r.standalone, log) //nolint:contextcheck,nolintlint // it connects to nothing; AWS's settings come from files
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- d.run(ctx) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	timer := time.NewTimer(farewell)
	defer timer.Stop()
	select {
	case err := <-done:
		return err
	case <-timer.C:
		return fmt.Errorf("did not end within %v of the signal", farewell)
	}
}

// newLogger makes the log of a process.
func newLogger(cfg *config.Config, w zapWriter) (*zap.Logger, error) {
	level, err := zapcore.ParseLevel(cfg.Log.Level.String())
	if err != nil {
		return nil, usageError{fmt.Errorf("log.level: %w", err)}
	}
	form := zap.NewProductionEncoderConfig()
	form.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	encoder := zapcore.NewJSONEncoder(form)
	if cfg.Log.Format.String() != "json" {
		form.EncodeLevel = zapcore.CapitalLevelEncoder
		form.EncodeTime = zapcore.ISO8601TimeEncoder
		encoder = zapcore.NewConsoleEncoder(form)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), level)), nil
}

type zapWriter interface{ Write(p []byte) (int, error) }
