package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/twmb/franz-go/pkg/kerr"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"firebreak/actuator/steward"
	"firebreak/internal/config"
	"firebreak/routing"
	"firebreak/routing/control"
)

// routeWait bounds what a command waits for the store.
const routeWait = 30 * time.Second

// newRouteCommand builds `firebreak route`: look at the routing of a fleet, and change it.
func newRouteCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "route", Short: "Look at the routing of a fleet, and change it", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		return usageError{errors.New("want: firebreak route get|show|history|diff|set|export|import --config FILE")}
	}}
	cmd.AddCommand(newRouteGetCommand(), newRouteShowCommand(), newRouteHistoryCommand(), newRouteDiffCommand(), newRouteSetCommand(),
		newRouteExportCommand(), newRouteImportCommand())
	return cmd
}

// routeFlags say which fleet.
type routeFlags struct{ config, fleet string }

func (r *routeFlags) define(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&r.config, "config", "", "configuration file (YAML)")
	f.StringVar(&r.fleet, "fleet", "", "which fleet (default: the only one of the configuration)")
}

// routed is the routing of one fleet, as a command reaches it.
type routed struct {
	fleet string
	first *control.State // by the configuration; nil = it says no placement
	store stateStore
	cfg   *config.Config

	states stateKeeper
}

// open reaches the routing of the fleet. Nothing is connected before it is used.
func (r *routeFlags) open(cmd *cobra.Command) (*routed, error) {
	cfg, err := commandConfig(r.config, "which file says where the routing is")
	if err != nil {
		return nil, err
	}
	f, err := fleetNamed(cfg, r.fleet)
	if err != nil {
		return nil, usageError{err}
	}
	opts, err := ourCluster(cfg)
	if err != nil {
		return nil, err
	}
	states, err := openStates(cmd.Context(), cfg, opts, warnings(cmd.ErrOrStderr()))
	if err != nil {
		return nil, err
	}
	out := &routed{fleet: f.Name, cfg: cfg, states: states}
	if out.store, err = states.store(f.Name); err != nil {
		states.Close()
		return nil, usageError{err}
	}
	doc, _, err := documentOf(f, filepath.Dir(r.config))
	if err != nil {
		states.Close()
		return nil, usageError{oneLine(fmt.Errorf("fleet %s: %w", routing.Escape(f.Name), err))}
	}
	if doc != nil {
		out.first = control.First(doc)
	}
	return out, nil
}

// warnings is a log of what a person who waits wants to know.
func warnings(out io.Writer) *zap.Logger {
	cfg := zap.NewDevelopmentEncoderConfig()
	cfg.TimeKey, cfg.CallerKey = zapcore.OmitKey, zapcore.OmitKey
	return zap.New(zapcore.NewCore(zapcore.NewConsoleEncoder(cfg), zapcore.Lock(zapcore.AddSync(out)), zap.WarnLevel))
}

// fleetNamed finds a fleet of a configuration.
func fleetNamed(cfg *config.Config, name string) (*config.Fleet, error) {
	var names []string
	for i := range cfg.Fleets {
		if cfg.Fleets[i].Name == name || name == "" && len(cfg.Fleets) == 1 {
			return &cfg.Fleets[i], nil
		}
		names = append(names, shownName(cfg.Fleets[i].Name))
	}
	if name == "" {
		return nil, fmt.Errorf("--fleet: want one of %s", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("--fleet: no fleet is called %s; there are %s", shownName(name), strings.Join(names, ", "))
}

// Close ends the connections.
func (r *routed) Close() { r.states.Close() }

// load reads the state.
func (r *routed) load(ctx context.Context) (*control.State, error) {
	ctx, cancel := context.WithTimeout(ctx, routeWait)
	defer cancel()
	s, err := r.store.Load(ctx)
	if errors.Is(err, control.ErrNone) || errors.Is(err, kerr.UnknownTopicOrPartition) {
		return nil, fmt.Errorf("fleet %s: there is no routing yet: the first `firebreak run` that decides makes it out of the configuration, or `firebreak route import --direct`", printable(r.fleet))
	}
	if since, ok := steward.Paused(r.store); err != nil && ok {
		err = fmt.Errorf("the store is %s: %w", sinceWords(steward.Throttled, since), err)
	}
	return s, err
}

// reading is a command that reads the state of a fleet.
func (r *routeFlags) reading(cmd *cobra.Command, fn func(ctx context.Context, at *routed, s *control.State) error) error {
	at, err := r.open(cmd)
	if err != nil {
		return err
	}
	defer at.Close()
	s, err := at.load(cmd.Context())
	if err != nil {
		return err
	}
	return fn(cmd.Context(), at, s)
}
