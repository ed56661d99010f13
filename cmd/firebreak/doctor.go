package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"firebreak/internal/config"
	"firebreak/pipeline/kafka"
	"firebreak/routing/control"
)

// doctorFlags are the flags of doctor as typed.
type doctorFlags struct {
	config     string
	output     string
	standalone bool
}

// newDoctorCommand builds `firebreak doctor`: try everything that a run needs.
func newDoctorCommand() *cobra.Command {
	var flags doctorFlags
	cmd := &cobra.Command{
		Use:   "doctor --config FILE [flags]",
		Short: "Check configuration, brokers, topics and rights",
		Long: `Check everything that a run needs, and change nothing: the configuration with the files that it names, the admin address, the
folder and the command of reports, the schema registry, the app-level tokens of Slack, each query for the health of shards, each broker with TLS and signing in, the topics of request logs and our own, and each right, by a request that does
nothing. What is wrong stands beside what mends it. At the end stand the rights that the clusters must grant, as a table and as commands.

Exits 1 if a check fails.`,
		Example: `  firebreak doctor --config firebreak.yml
  firebreak doctor --config firebreak.yml --output json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return runDoctor(cmd, &flags) },
	}
	f := cmd.Flags()
	f.StringVar(&flags.config, "config", "", "configuration file, see docs/config.md")
	f.StringVar(&flags.output, "output", "text", "text or json")
	f.BoolVar(&flags.standalone, "standalone", false, "check for run --standalone: the request logs are read, nothing else")
	return cmd
}

// granted are the rights that one cluster must grant.
type granted struct {
	Cluster   string        `json:"cluster"`
	Principal string        `json:"principal"`
	Rights    []kafka.Right `json:"rights"`
	Commands  []string      `json:"commands"`
}

// diagnosis is all that doctor says.
type diagnosis struct {
	Findings []kafka.Finding `json:"findings"`
	Grants   []granted       `json:"grants"`
}

func runDoctor(cmd *cobra.Command, flags *doctorFlags) error {
	if flags.config == "" {
		return usageError{errors.New("--config is missing: want the configuration file")}
	}
	if flags.output != "text" && flags.output != "json" {
		return unknown("output", flags.output, []string{"text", "json"})
	}
	var d diagnosis
	cfg, err := flags.read()
	d.add("configuration", err, flags.config+" is valid", "docs/config.md has every field")
	if cfg != nil {
		d.local(cmd.Context(), cfg, flags.standalone)
		checkup := checkupOf(cfg, flags.standalone)
		d.Findings = append(d.Findings, checkup.Check(cmd.Context())...)
		if !flags.standalone {
			d.table(cmd.Context(), cfg)
		}
		d.pressed(cmd.Context(), cfg)
		d.outside(cmd.Context(), cfg, filepath.Dir(flags.config))
		d.Grants = grantsOf(checkup)
	}
	if err := d.write(cmd.OutOrStdout(), flags.output); err != nil {
		return err
	}
	if n := d.failed(); n > 0 {
		return fmt.Errorf("%d of %s failed", n, quantity(len(d.Findings), "check", "checks"))
	}
	return nil
}

// read reads the configuration and makes of it what run does, so that the error is that of run. The configuration comes with
// an error too where brokers can be tried nevertheless.
func (f *doctorFlags) read() (*config.Config, error) {
	data, err := os.ReadFile(f.config)
	if err != nil {
		return nil, err
	}
	c, err := config.Parse(f.config, data)
	if err != nil {
		return nil, err
	}
	if err := c.Runnable(); err != nil {
		return nil, fmt.Errorf("%s: %w", f.config, err)
	}
	dir := filepath.Dir(f.config)
	c.Beside(dir)
	fleets, err := liveFleets(c, dir)
	if err == nil {
		_, err = storesOf(c, dir)
	}
	if err == nil {
		_, err = memberConfig(c, fleets, f.standalone, zap.NewNop())
	}
	if err == nil {
		_, err = openOutlook(c, fleets, zap.NewNop())
	}
	return c, err
}

// add notes a finding; detail says what is right.
func (d *diagnosis) add(name string, err error, detail, mend string) {
	f := kafka.Finding{Name: name, OK: err == nil, Detail: detail}
	if err != nil {
		f.Detail, f.Mend = err.Error(), mend
	}
	d.Findings = append(d.Findings, f)
}

// local checks what a run needs of this machine: the admin address, the files of the receivers, and where reports go. Nothing is sent,
// and nothing stays.
func (d *diagnosis) local(ctx context.Context, c *config.Config, standalone bool) {
	if address := c.Admin.Listen; address != "" {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
		if err == nil {
			err = listener.Close()
		}
		d.add("admin address "+address, err, "can be listened on", "end what listens there, which may be a run of this configuration, or set admin.listen")
	}
	for i := range c.Notify.Receivers {
		r := &c.Notify.Receivers[i]
		d.add("receiver "+r.Name, r.Readable(), "its secrets can be read; nothing is sent", "mend the file that holds it")
	}
	if standalone && c.Report.On() {
		d.add("report", nil, "none is written with --standalone, which keeps no history", "")
		return
	}
	for _, t := range tryReport(&c.Report) {
		d.add(t.name, t.err, t.detail, t.mend)
	}
}

// tableWait bounds the look at a fleet's item in the table.
const tableWait = 10 * time.Second

// table reads the routing of each fleet where it is kept in a table; the topic is checked with the others.
func (d *diagnosis) table(ctx context.Context, c *config.Config) {
	name := c.State.DynamoDB.Table
	if name == "" {
		return
	}
	in, err := openStates(ctx, c, nil, zap.NewNop())
	if err != nil {
		d.add("table "+name, err, "", "mend AWS's configuration, or state.dynamodb")
		return
	}
	defer in.Close()
	for i := range c.Fleets {
		d.inTable(ctx, in, name, c.Fleets[i].Name)
	}
}

func (d *diagnosis) inTable(ctx context.Context, in stateKeeper, table, fleet string) {
	ctx, cancel := context.WithTimeout(ctx, tableWait)
	defer cancel()
	detail := "its routing can be read"
	store, err := in.store(fleet)
	if err == nil {
		_, err = store.Load(ctx)
	}
	if errors.Is(err, control.ErrNone) {
		err, detail = nil, "has no routing of it yet: run makes it"
	}
	if err != nil {
		err = oneLine(err)
	}
	d.add("table "+table+": fleet "+printable(fleet), err, detail, "firebreak table create makes the table; deploy/iam/decider.json has the rights")
}

// outside reads the shards once from all that the configuration names, of the fleets whose sources can be made: why others cannot
// stands at the configuration.
func (d *diagnosis) outside(ctx context.Context, c *config.Config, dir string) {
	fleets, err := liveFleets(c, dir)
	if err != nil {
		return
	}
	o, err := openOutlook(c, fleets, zap.NewNop())
	if err != nil {
		return
	}
	for i := range c.Fleets {
		name := c.Fleets[i].Name
		if of := o.of[name]; of != nil {
			for _, f := range of.Check(ctx) {
				if f.Err != nil {
					f.Err = oneLine(f.Err)
				}
				d.add("health of fleet "+printable(name)+": "+f.Source+": "+f.Metric.String(), f.Err, f.Detail, f.Mend)
			}
		}
	}
}

// checkupOf is what is to be checked of the clusters.
func checkupOf(c *config.Config, standalone bool) *kafka.Checkup {
	clusters := c.Kafka.All()
	for i := range clusters {
		clusters[i].AWS = awsCredentials()
	}
	return &kafka.Checkup{
		Clusters: clusters, Group: c.Group, Sources: c.Sources(), Window: c.LongestWindow(), Replicas: c.Kafka.Replicas, Standalone: standalone,
	}
}

// grantsOf lists what each cluster must grant.
func grantsOf(checkup *kafka.Checkup) []granted {
	var all []granted
	for i, rights := range checkup.Rights() {
		c := &checkup.Clusters[i]
		g := granted{Cluster: c.Called(), Principal: c.Principal(), Rights: rights}
		for _, r := range rights {
			g.Commands = append(g.Commands, r.Command(c.Brokers, c.Principal()))
		}
		all = append(all, g)
	}
	return all
}

// failed counts the checks that failed.
func (d *diagnosis) failed() int {
	n := 0
	for _, f := range d.Findings {
		if !f.OK {
			n++
		}
	}
	return n
}

// write writes the diagnosis as text or as one JSON object.
func (d *diagnosis) write(w io.Writer, output string) error {
	if output == "json" {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		return e.Encode(d)
	}
	var b strings.Builder
	for _, f := range d.Findings {
		mark := "ok   "
		if !f.OK {
			mark = "WRONG"
		}
		for line := range strings.SplitSeq(f.Detail, "\n") {
			fmt.Fprintf(&b, "%s  %s: %s\n", mark, printable(f.Name), printable(line))
		}
		if f.Mend != "" {
			fmt.Fprintf(&b, "       mend: %s\n", printable(f.Mend))
		}
	}
	for i := range d.Grants {
		d.Grants[i].write(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// write writes the rights of one cluster as a table and as commands.
func (g *granted) write(b *strings.Builder) {
	fmt.Fprintf(b, "\ncluster %s must grant %s, where it has ACLs:\n", printable(g.Cluster), printable(g.Principal))
	var t table
	t.header("resource", "name", "operations", "why")
	for _, r := range g.Rights {
		t.row(r.Resource, printable(r.Name), strings.Join(r.Operations, ", "), r.Why)
	}
	t.write(b)
	b.WriteString("as commands:\n")
	for _, c := range g.Commands {
		b.WriteString("  " + printable(c) + "\n")
	}
}
