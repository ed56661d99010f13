package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/spf13/cobra"

	"firebreak/routing"
	"firebreak/routing/control"
	"firebreak/routing/dynamo"
)

// tableTimeout bounds the command: AWS makes a table in about 10 s.
const tableTimeout = 2 * time.Minute

// tableFlags are the flags of table create as typed; "" is a flag that was not given.
type tableFlags struct{ table, region, endpoint, fleet, from, bytes string }

// newTableCommand builds `firebreak table`: what has to do with the DynamoDB table that routing lies in.
func newTableCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "table", Short: "Make the DynamoDB table that routing lies in", Args: cobra.NoArgs, RunE: func(*cobra.Command, []string) error {
		return usageError{errors.New("want: firebreak table create --table NAME, or firebreak table home")}
	}}
	cmd.AddCommand(newTableCreateCommand(), newTableHomeCommand())
	return cmd
}

// newTableCreateCommand builds `firebreak table create`: make or check the table, and adopt a fleet.
func newTableCreateCommand() *cobra.Command {
	var flags tableFlags
	cmd := &cobra.Command{
		Use:   "create --table NAME [--fleet FLEET --from FUNCTION:SHARDS]",
		Short: "Make or check the table, and adopt a fleet as it is",
		Long: `Make the DynamoDB table that the routing of fleets lies in: keys pk and sk, billed on demand, with point-in-time recovery. A table
that is there already is checked and left as it is.

With --fleet and --from it also writes the first document of a fleet whose shard is FUNCTION mod SHARDS, and moves no key. Where the table
has a state of the fleet already it changes nothing, and fails if that says another base map.

Credentials and region come from the usual places of AWS.`,
		Example: `  firebreak table create --table firebreak
  firebreak table create --table firebreak --fleet orders --from md5:32
  firebreak table create --table firebreak --endpoint http://127.0.0.1:8000 --region eu-west-1`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			first, err := flags.first()
			if err != nil {
				return err
			}
			ctx, stop := context.WithTimeout(cmd.Context(), tableTimeout)
			defer stop()
			cfg, err := flags.aws(ctx)
			if err != nil {
				return err
			}
			return createTable(ctx, cmd, cfg, flags, first)
		},
	}
	f := cmd.Flags()
	f.StringVar(&flags.table, "table", "", "name of the table")
	f.StringVar(&flags.region, "region", "", "region of the table (default: as AWS is configured)")
	f.StringVar(&flags.endpoint, "endpoint", "", "URL of DynamoDB, such as http://127.0.0.1:8000 for one on this machine (default: that of the region)")
	f.StringVar(&flags.fleet, "fleet", "", "fleet to adopt")
	f.StringVar(&flags.from, "from", "", "how its keys find their shards today: a function and the number of shards, such as md5:32")
	f.StringVar(&flags.bytes, "bytes", "key", "what the function is of: key, tenant, or a template such as {tenant}:{key}")
	return cmd
}

// first is the state to begin with; nil = none was asked for. It checks every flag.
func (f *tableFlags) first() (*control.State, error) {
	if f.table == "" {
		return nil, usageError{errors.New("--table is missing; give it as in --table firebreak")}
	}
	if u, err := url.Parse(f.endpoint); f.endpoint != "" && (err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "") {
		return nil, wrong("endpoint", f.endpoint, "an absolute http or https URL")
	}
	switch {
	case f.fleet == "" && f.from == "":
		return nil, nil //nolint:nilnil // nothing to adopt is no error
	case f.fleet == "":
		return nil, usageError{errors.New("--fleet is missing; --from says how its keys find their shards")}
	case f.from == "":
		return nil, usageError{errors.New("--from is missing; give it as in --from md5:32")}
	}
	name, count, _ := strings.Cut(f.from, ":")
	function, err := routing.ParseFunction(name)
	shards, err2 := strconv.Atoi(count)
	if err != nil || err2 != nil || shards < 1 || shards > routing.MaxShards {
		return nil, wrong("from", f.from, fmt.Sprintf("a function and a number of shards from 1 to %d, such as md5:32; %s", routing.MaxShards, "xxh64, crc32, fnv1a, kafka-murmur2 and jump are others"))
	}
	placement := routing.Placement{Bytes: f.bytes, Function: function, Map: routing.ModN}
	d, err := routing.Adopt(f.fleet, placement, routing.NumberedShards(shards))
	if err != nil {
		return nil, usageError{oneLine(err)}
	}
	return control.First(d), nil
}

// aws is the configuration to call with.
func (f *tableFlags) aws(ctx context.Context) (aws.Config, error) {
	cfg, err := awsConfig(ctx, f.region)
	if err != nil {
		return cfg, err
	}
	if cfg.Region == "" {
		return cfg, usageError{errors.New("--region: no region is configured; give one, such as eu-west-1")}
	}
	return cfg, nil
}

func createTable(ctx context.Context, cmd *cobra.Command, cfg aws.Config, flags tableFlags, first *control.State) error {
	cfg.HTTPClient = newPatient(cfg.HTTPClient, cmd.ErrOrStderr())
	api := dynamo.Client(cfg, flags.endpoint)
	found, err := dynamo.Create(ctx, api, flags.table)
	if err != nil {
		return oneLine(err)
	}
	out := cmd.OutOrStdout()
	said := "it is there and has the right keys"
	switch {
	case found.Backups != nil:
		said = "created, billed on demand; point-in-time recovery could not be switched on: " + oneLine(found.Backups).Error()
	case found.Created:
		said = "created, billed on demand, with point-in-time recovery"
	}
	if _, err := fmt.Fprintf(out, "table %s: %s\n", flags.table, printable(said)); err != nil || first == nil {
		return err
	}
	store, err := dynamo.Open(api, dynamo.Config{Table: flags.table, Fleet: flags.fleet, Region: cfg.Region})
	if err != nil {
		return usageError{err}
	}
	if there, err := begin(ctx, store, flags, first); err != nil || there != nil {
		if err == nil {
			_, err = fmt.Fprintf(out, "fleet %s: it is there with this base map, at %s; nothing was changed\n", printable(flags.fleet), there.At())
		}
		return err
	}
	p := &first.Document.Placement
	_, err = fmt.Fprintf(out, "fleet %s: adopted as version 1: %s of %s mod %d, %d virtual shards, 0 keys moved\n",
		printable(flags.fleet), p.Function, printable(p.Bytes), p.Shards, p.VShards)
	if err == nil && len(found.Replicas) > 0 {
		_, err = fmt.Fprintf(out, "fleet %s: its home is %s: the table is replicated, and only there the fleet is written\n", printable(flags.fleet), cfg.Region)
	}
	return err
}

// begin writes a first state, where there is none. It gives the one that is there, if its keys lie as those of the first would; where they
// do not, the error says what differs.
func begin(ctx context.Context, store *dynamo.Store, flags tableFlags, first *control.State) (there *control.State, err error) {
	_, err = store.Write(ctx, control.At{}, first)
	if _, taken := errors.AsType[*control.Conflict](err); taken {
		there, err = store.Load(ctx)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("fleet %s: %w", printable(flags.fleet), oneLine(err))
	case there == nil:
		return nil, nil //nolint:nilnil // it was written
	}
	is, want := &there.Document.Placement, &first.Document.Placement
	if err := there.Document.SameBase(first.Document); err != nil {
		return nil, fmt.Errorf("fleet %s: table %s has another state of it, at %s: %s of %s, %s, mod %d, and not %s of %s, %s, mod %d (%w); nothing was changed",
			printable(flags.fleet), flags.table, there.At(), is.Function, printable(is.Bytes), is.Map, is.Shards, want.Function, printable(want.Bytes), want.Map, want.Shards, oneLine(err))
	}
	return there, nil
}
