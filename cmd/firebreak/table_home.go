package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"firebreak/routing/dynamo"
)

// tableHomeFlags are the flags of table home as typed.
type tableHomeFlags struct {
	tableFlags

	yes bool
}

// newTableHomeCommand builds `firebreak table home`: the region in which a fleet's routing is written becomes another one.
func newTableHomeCommand() *cobra.Command {
	var flags tableHomeFlags
	cmd := &cobra.Command{
		Use:   "home --table NAME --fleet FLEET --from REGION [--region REGION] [--yes]",
		Short: "Write a fleet's routing in another region from now on",
		Long: `Make a region the home of a fleet: only there its routing is written. The region is that of --region, or as AWS is configured.

Stop the instances of the old region first, or be sure that they are gone. On a global table that is eventually consistent the new home goes
by the copy that it has: the last writes of the old one may be missing, and one that it makes later would stand again.`,
		Example: `  firebreak table home --table firebreak --fleet orders --from eu-west-1 --region us-east-1
  firebreak table home --table firebreak --fleet orders --from eu-west-1 --region us-east-1 --yes`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return flags.rehome(cmd) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.table, "table", "", "name of the table")
	f.StringVar(&flags.region, "region", "", "region that becomes the home (default: as AWS is configured)")
	f.StringVar(&flags.endpoint, "endpoint", "", "URL of DynamoDB (default: that of the region)")
	f.StringVar(&flags.fleet, "fleet", "", "fleet whose home it becomes")
	f.StringVar(&flags.from, "from", "", "region that is its home now")
	f.BoolVar(&flags.yes, "yes", false, "do it; without, only say what would be done")
	return cmd
}

func (f *tableHomeFlags) rehome(cmd *cobra.Command) error {
	for _, flag := range [...]struct{ name, value string }{{"table", f.table}, {"fleet", f.fleet}, {"from", f.from}} {
		if flag.value == "" {
			return usageError{errors.New("--" + flag.name + " is missing")}
		}
	}
	ctx, stop := context.WithTimeout(cmd.Context(), tableTimeout)
	defer stop()
	cfg, err := f.aws(ctx)
	if err != nil {
		return err
	}
	store, err := dynamo.Open(dynamo.Client(cfg, f.endpoint), dynamo.Config{Table: f.table, Fleet: f.fleet, Region: cfg.Region})
	if err != nil {
		return usageError{err}
	}
	out := cmd.OutOrStdout()
	if !f.yes {
		state, err := store.Load(ctx)
		if err != nil {
			return fmt.Errorf("fleet %s: %w", printable(f.fleet), oneLine(err))
		}
		if state.Home != f.from {
			return fmt.Errorf("fleet %s: its home is %q by the copy of %s, and not %q", printable(f.fleet), state.Home, cfg.Region, f.from)
		}
		_, err = fmt.Fprintf(out, "fleet %s: its home is %q by the copy of %s, which stands at %s; with --yes it would be %s\n",
			printable(f.fleet), state.Home, cfg.Region, state.At(), cfg.Region)
		return err
	}
	at, err := store.Rehome(ctx, f.from, rand.Text())
	if err != nil {
		return fmt.Errorf("fleet %s: %w", printable(f.fleet), oneLine(err))
	}
	_, err = fmt.Fprintf(out, "fleet %s: its home is %s, and it stands at %s\n", printable(f.fleet), cfg.Region, at)
	return err
}
