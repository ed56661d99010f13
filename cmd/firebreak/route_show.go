package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"firebreak/routing"
	"firebreak/routing/control"
)

// newRouteShowCommand builds `firebreak route show`.
func newRouteShowCommand() *cobra.Command {
	var flags routeFlags
	cmd := &cobra.Command{
		Use:   "show --config FILE",
		Short: "Show what clients route by: the base map and every exception",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.reading(cmd, func(ctx context.Context, at *routed, s *control.State) error {
				clients, err := at.store.Confirmations(ctx)
				if err != nil {
					return err
				}
				return showState(cmd.OutOrStdout(), s, clients)
			})
		},
	}
	flags.define(cmd)
	return cmd
}

// showState prints a state for people.
func showState(out io.Writer, s *control.State, clients []control.Confirmation) error {
	d := s.Document
	var w strings.Builder
	holds := 0
	for _, c := range clients {
		if c.Version == d.Version {
			holds++
		}
	}
	stop := "no"
	if d.Stop {
		stop = "yes: nothing is acted on"
	}
	p := d.Placement
	fmt.Fprintf(&w, "fleet\t%s\nstands at\t%s\nstopped\t%s\nbase map\t%s of %s, %s, %d virtual shards\nclients\t%d confirmed of late, %d of them this version\n",
		printable(d.Fleet), s.At(), stop, p.Function, printable(p.Bytes), p.Map, p.VShards, len(clients), holds)
	for _, e := range d.Fenced {
		fmt.Fprintf(&w, "fenced\t%s\n", printable(e.String()))
	}
	for _, e := range d.Entries() {
		fmt.Fprintf(&w, "%s\t%s\n", printable(e.String()), printable(d.Value(e)))
	}
	return aligned(out, w.String())
}

// newRouteGetCommand builds `firebreak route get`.
func newRouteGetCommand() *cobra.Command {
	var flags routeFlags
	var tenant, key string
	cmd := &cobra.Command{
		Use:     "get --key KEY [--tenant TENANT] --config FILE",
		Short:   "Say where a key lives",
		Example: `  firebreak route get --tenant acme --key cart:17 --config firebreak.yml`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if key == "" && tenant == "" {
				return usageError{errors.New("--key, --tenant: want what is routed")}
			}
			return flags.reading(cmd, func(_ context.Context, _ *routed, s *control.State) error {
				return whereIs(cmd.OutOrStdout(), s.Document, tenant, key)
			})
		},
	}
	flags.define(cmd)
	cmd.Flags().StringVar(&key, "key", "", "the key")
	cmd.Flags().StringVar(&tenant, "tenant", "", "its tenant")
	return cmd
}

// whereIs prints where a key lives and what holds for it.
func whereIs(out io.Writer, d *routing.Document, tenant, key string) error {
	t, err := routing.NewTable(d)
	if err != nil {
		return err
	}
	identity := tenant
	if !d.Placement.IdentifiesTenant() {
		identity = ""
	}
	var w strings.Builder
	salt, salted := t.Salt([]byte(tenant), []byte(key))
	for _, p := range t.Pieces([]byte(tenant), []byte(key), nil) {
		shard := "only the log knows"
		if p.Shard != routing.NoShard {
			shard = printable(d.Shards[p.Shard].Name)
		}
		physical := key
		if p.Index > 0 {
			physical = string(t.AppendPieceKey(nil, []byte(key), p.Suffix))
		}
		use := ""
		if salted {
			use = fmt.Sprintf("\treaders %v\twriters %v", p.Index < salt.Read, p.Index < salt.Write)
		}
		fmt.Fprintf(&w, "%s\tvirtual shard %d\t%s%s\n", shownName(physical), p.VShard, shard, use)
	}
	if q := d.Value(routing.QuotaEntry(tenant)); q != "" {
		fmt.Fprintf(&w, "quota of %s\t%s requests/s\n", shownName(tenant), q)
	}
	if c := d.Value(routing.CacheEntry(identity, key)); c != "" {
		fmt.Fprintf(&w, "may be answered from a cache\tup to %s old\n", c)
	}
	return aligned(out, w.String())
}

// newRouteExportCommand builds `firebreak route export`.
func newRouteExportCommand() *cobra.Command {
	var flags routeFlags
	cmd := &cobra.Command{
		Use:     "export --config FILE",
		Short:   "Write the document as JSON, for a backup or a change",
		Example: `  firebreak route export --config firebreak.yml > orders.json`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return flags.reading(cmd, func(_ context.Context, _ *routed, s *control.State) error {
				b, err := s.Document.Encode()
				if err != nil {
					return err
				}
				_, err = cmd.OutOrStdout().Write(append(b, '\n'))
				return err
			})
		},
	}
	flags.define(cmd)
	return cmd
}

// aligned prints rows whose cells are parted by tabs.
func aligned(out io.Writer, rows string) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if _, err := io.WriteString(w, rows); err != nil {
		return err
	}
	return w.Flush()
}
