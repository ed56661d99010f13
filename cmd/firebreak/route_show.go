package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"firebreak/actuator/steward"
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
				ctx, cancel := context.WithTimeout(ctx, routeWait)
				defer cancel()
				clients, err := at.store.Confirmations(ctx)
				store := "serves"
				if since, ok := steward.Paused(at.store); ok {
					store = sinceWords(steward.Throttled, since)
				}
				return showState(cmd.OutOrStdout(), s, store, clients, err)
			})
		},
	}
	flags.define(cmd)
	return cmd
}

// showState prints a state for people, with how its store does; unlisted is why its clients could not be listed.
func showState(out io.Writer, s *control.State, store string, clients []control.Confirmation, unlisted error) error {
	d := s.Document
	var w strings.Builder
	holds := 0
	for _, c := range clients {
		if c.Version == d.Version {
			holds++
		}
	}
	held := fmt.Sprintf("%d confirmed of late, %d of them this version", len(clients), holds)
	if unlisted != nil {
		held = "cannot be listed: " + oneLine(unlisted).Error()
	}
	p := d.Placement
	fmt.Fprintf(&w, "fleet\t%s\nstands at\t%s\nstore\t%s\nstopped\t%s\nbase map\t%s of %s, %s, %d virtual shards\nclients\t%s\n",
		printable(d.Fleet), s.At(), store, stoppedWords(s), p.Function, printable(p.Bytes), p.Map, p.VShards, held)
	for _, e := range d.Fenced {
		fmt.Fprintf(&w, "fenced\t%s\n", printable(e.String()))
	}
	for i := range d.Doubled {
		is, until := &d.Doubled[i], "the owner's word counts"
		if is.Both {
			until = "done when both have it"
		}
		fmt.Fprintf(&w, "written twice\t%s, as by %q too, %s\n", printable(is.Entry.String()), printable(is.Value), until)
	}
	values := d.Values()
	for _, e := range d.Entries() {
		fmt.Fprintf(&w, "%s\t%s\n", printable(e.String()), printable(values[e]))
	}
	return aligned(out, w.String())
}

// stoppedWords say whether acting is stopped, by whom and why.
func stoppedWords(s *control.State) string {
	if !s.Document.Stop {
		return "no"
	}
	return "yes, " + stoppedBy(s)
}

// stoppedBy says who stopped acting, when and why.
func stoppedBy(s *control.State) string {
	by := s.Stopped
	if by == nil {
		return "nobody knows by whom"
	}
	return fmt.Sprintf("by %s at %s: %s", printable(by.By), by.At.UTC().Format(time.RFC3339), printable(by.Reason))
}

// newRouteGetCommand builds `firebreak route get`.
func newRouteGetCommand() *cobra.Command {
	var flags routeFlags
	var tenant, key string
	cmd := &cobra.Command{
		Use:     "get [--key KEY] [--tenant TENANT] --config FILE",
		Short:   "Say where a key lives, by what its fleet is placed by",
		Example: `  firebreak route get --tenant acme --key cart:17 --config firebreak.yml`,
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if key == "" && tenant == "" {
				return usageError{errors.New("--key, --tenant: want what is routed")}
			}
			given := cmd.Flags().Changed
			return flags.reading(cmd, func(_ context.Context, _ *routed, s *control.State) error {
				if err := placeable(s.Document, given("tenant"), given("key")); err != nil {
					return usageError{err}
				}
				return whereIs(cmd.OutOrStdout(), s.Document, tenant, key)
			})
		},
	}
	flags.define(cmd)
	cmd.Flags().StringVar(&key, "key", "", "the key")
	cmd.Flags().StringVar(&tenant, "tenant", "", "its tenant")
	return cmd
}

// placeable says what is missing to tell where something lives; nil = nothing.
func placeable(d *routing.Document, tenant, key bool) error {
	p := &d.Placement
	const whose = `--tenant: want whose key it is ("" = nobody's): `
	switch {
	case tenant:
	case p.HasTenant():
		return fmt.Errorf("%sthe fleet is placed by %s", whose, printable(p.Bytes))
	case p.IdentifiesTenant():
		return errors.New(whose + "equal keys of two tenants are two keys")
	case len(d.Tenants) > 0:
		return fmt.Errorf("%stenants live on shards of their own: %d", whose, len(d.Tenants))
	}
	if p.HasKey() && !key {
		return fmt.Errorf("--key: want which one: the fleet is placed by %s", printable(p.Bytes))
	}
	return nil
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
