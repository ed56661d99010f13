package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"firebreak/policy"
	"firebreak/routing"
)

// reshardFlags are the flags of reshard plan as typed.
type reshardFlags struct {
	from, to, vshards      int
	hash, document, output string
}

// newReshardCommand builds `firebreak reshard plan`: what it takes to go to another number of shards, without a service.
func newReshardCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "reshard",
		Short: "Plan a fleet of more or fewer shards",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			return usageError{fmt.Errorf("reshard: want plan, as in firebreak reshard plan --from 64 --to 80")}
		},
	}
	var flags reshardFlags
	plan := &cobra.Command{
		Use:   "plan --from 64 --to 80",
		Short: "Say which virtual shards move to make a fleet of another size even, and in which steps",
		Long: `Say which virtual shards move to make a fleet of another size even: no fewer can, and each moves once. Steps move at most
10 % of the fleet each, and no receiver ever has more than it has in the end. Each virtual shard counts as much as any other; where
their loads differ, a hotspot's split moves them by their loads. A document holds about 3,900 moves: fewer virtual shards need fewer.
Nothing is changed.`,
		Example: `  firebreak reshard plan --from 64 --to 80
  firebreak reshard plan --from 64 --to 80 --output json
  firebreak reshard plan --document orders.json --to 48`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runReshardPlan(cmd, &flags) },
	}
	f := plan.Flags()
	f.IntVar(&flags.from, "from", 0, "shards that serve now, by a hash modulo their number, such as 64")
	f.IntVar(&flags.to, "to", 0, "shards that are to serve, such as 80")
	f.IntVar(&flags.vshards, "vshards", 0, "virtual shards, a multiple of --from (default: the smallest that is at least 10,240; redis-slot 16,384)")
	f.StringVar(&flags.hash, "hash", "xxh64", "placement function: xxh64, md5, crc32, fnv1a, redis-slot, kafka-murmur2, cassandra-murmur3, jump")
	f.StringVar(&flags.document, "document", "", "routing document of the fleet (JSON; - is standard input), instead of --from, --vshards and --hash")
	f.StringVar(&flags.output, "output", "text", "text or json")
	cmd.AddCommand(plan)
	return cmd
}

func runReshardPlan(cmd *cobra.Command, flags *reshardFlags) error {
	if flags.output != "text" && flags.output != "json" {
		return wrong("output", flags.output, "text or json")
	}
	if flags.to < 1 || flags.to > routing.MaxShards {
		return wrong("to", fmt.Sprint(flags.to), fmt.Sprintf("the shards that are to serve, 1 to %s", whole(routing.MaxShards)))
	}
	d, err := flags.fleet(cmd)
	if err != nil {
		return err
	}
	r, err := d.PlanReshard(flags.to, policy.Default().MovedAtMost)
	if err != nil {
		return usageError{oneLine(fmt.Errorf("--to %d: %w", flags.to, err))}
	}
	report, err := newReshardReport(d, r)
	if err != nil {
		return err
	}
	if flags.output == "json" {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(report)
	}
	_, err = io.WriteString(cmd.OutOrStdout(), report.text())
	return err
}

// fleet is the fleet as it is: the document that was given, or the one by which a fleet that hashes modulo --from is adopted.
func (r *reshardFlags) fleet(cmd *cobra.Command) (*routing.Document, error) {
	if r.document != "" {
		for _, name := range []string{"from", "vshards", "hash"} {
			if cmd.Flags().Changed(name) {
				return nil, usageError{fmt.Errorf("--document says what the fleet is like; leave out --%s", name)}
			}
		}
		return readDocument(cmd, r.document)
	}
	if r.from < 1 || r.from > routing.MaxShards {
		return nil, wrong("from", fmt.Sprint(r.from), fmt.Sprintf("the shards that serve now, 1 to %s; or --document", whole(routing.MaxShards)))
	}
	function, err := routing.ParseFunction(r.hash)
	if err != nil || function == routing.FunctionUnknown || function == routing.Identity {
		return nil, wrong("hash", r.hash, "xxh64, md5, crc32, fnv1a, redis-slot, kafka-murmur2, cassandra-murmur3 or jump")
	}
	p := routing.Placement{Bytes: "key", Function: function, Map: routing.ModN, VShards: r.vshards}
	if function == routing.RedisSlot {
		p.Map = routing.List
	}
	d, err := routing.Adopt("fleet", p, routing.NumberedShards(r.from))
	if err != nil {
		return nil, usageError{oneLine(fmt.Errorf("--vshards %d: %w", r.vshards, err))}
	}
	return d, nil
}

// readDocument reads a routing document from a file or standard input.
func readDocument(cmd *cobra.Command, path string) (*routing.Document, error) {
	in := cmd.InOrStdin()
	if path != "-" {
		file, err := os.Open(path) //nolint:gosec // G304: the file that the user names
		if err != nil {
			return nil, usageError{oneLine(err)}
		}
		defer func() { _ = file.Close() }() // it was read only
		in = file
	}
	data, err := io.ReadAll(io.LimitReader(in, routing.MaxDocumentBytes+2)) // a line's end, and one byte too many
	if err != nil {
		return nil, usageError{oneLine(err)}
	}
	d, err := routing.ParseDocument(bytes.TrimSpace(data))
	if err != nil {
		return nil, usageError{oneLine(fmt.Errorf("document %s: %w", shownValue(path), err))}
	}
	return d, nil
}
