package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"firebreak/internal/config"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
	"firebreak/policy"
	"firebreak/profiles"
	"firebreak/routing"
)

// fleets are those of the configuration, or one that the flags describe; flags go before the file. A mistake is a
// usageError.
func (r *replayFlags) fleets() ([]config.Fleet, error) {
	fleets := []config.Fleet{config.DefaultFleet()}
	fleets[0].Name = "default"
	if r.config != "" {
		data, err := os.ReadFile(r.config)
		if err != nil {
			return nil, usageError{err}
		}
		c, err := config.Parse(r.config, data)
		if err != nil {
			return nil, usageError{oneLine(err)}
		}
		fleets, r.owners = c.Fleets, c.Owners
	}
	if r.document != "" && len(fleets) > 1 {
		return nil, usageError{errors.New("--document is of one fleet, and the configuration has several: name each one's there, as document")}
	}
	for i := range fleets {
		if err := r.override(&fleets[i]); err != nil {
			return nil, err
		}
		if err := fleets[i].Validate(); err != nil {
			return nil, usageError{oneLine(r.flagged(err))}
		}
		if err := fleets[i].Record.ForFiles(); err != nil {
			return nil, usageError{oneLine(fmt.Errorf("fleet %s: record.%w", routing.Escape(fleets[i].Name), err))}
		}
	}
	return fleets, nil
}

// flagged names the flag that gave a value, in place of the field of a configuration that it went to.
func (r *replayFlags) flagged(err error) error {
	text := "\n" + err.Error()
	for field, flag := range map[string]string{
		"warmup": "warmup", "window": "window", "pane": "pane", "policy.for": "for", "placement.vshards": "vshards", "record.format": "format",
	} {
		if r.changed(flag) {
			text = strings.ReplaceAll(text, "\n"+field+": ", "\n--"+flag+" ")
		}
	}
	return errors.New(text)
}

// override lays the flags over a fleet.
func (r *replayFlags) override(f *config.Fleet) error {
	if r.format != "" {
		f.Record.Format = r.format
		if slices.Contains(record.Presets(), r.format) {
			f.Record.Preset, f.Record.Format = r.format, ""
		}
	}
	for _, d := range []struct {
		flag string
		from time.Duration
		into *time.Duration
	}{{"window", r.window, &f.Window}, {"pane", r.pane, &f.Pane}, {"for", r.fires, &f.Policy.For}} {
		if r.changed(d.flag) {
			*d.into = d.from
		}
	}
	if r.changed("warmup") {
		f.Warmup = &r.warmup
	}
	if r.changed("sampling") {
		sampling, err := r.samplingOf()
		if err != nil {
			return err
		}
		f.Sampling = sampling
	}
	if r.changed("capacity") {
		f.Policy.Capacity = policy.Capacity{Total: r.capacity}
	}
	switch {
	case r.document != "" && r.placed():
		return usageError{errors.New("--document says where keys live; leave out --place, --shards, --hash and --vshards")}
	case r.document != "":
		f.Placement, f.Shards = config.Placement{}, config.Shards{}
		path, err := filepath.Abs(r.document) // and not from where the configuration stands
		f.Document = path
		return err
	case r.placed():
		return r.placement(f)
	}
	return nil
}

// placement reads --place, --hash, --shards and --vshards.
func (r *replayFlags) placement(f *config.Fleet) error {
	f.Document = ""
	if r.place == "explicit" {
		for _, flag := range []string{"shards", "vshards", "hash"} {
			if r.changed(flag) {
				return usageError{fmt.Errorf("--place explicit: the log names the shards; leave out --%s", flag)}
			}
		}
		f.Placement, f.Shards = config.Placement{Map: routing.Explicit}, config.Shards{}
		return nil
	}
	if !slices.Contains([]string{"", "key", "tenant", "tenant,key"}, r.place) {
		return wrong("place", r.place, "key, tenant, tenant,key or explicit")
	}
	if r.place != "" || r.changed("hash") || f.Placement.Map == routing.Explicit {
		f.Placement = config.Placement{Bytes: r.place}
	}
	function, err := routing.ParseFunction(r.hash)
	if err != nil || function == routing.FunctionUnknown || function == routing.Identity {
		return wrong("hash", r.hash, "xxh64, md5, crc32, fnv1a, redis-slot, kafka-murmur2, cassandra-murmur3 or jump")
	}
	if r.changed("hash") || f.Placement.Function == routing.FunctionUnknown {
		f.Placement.Function = function
	}
	if function == routing.RedisSlot && f.Placement.Map == routing.MapUnknown {
		f.Placement.Map = routing.List
	}
	if r.changed("vshards") {
		f.Placement.VShards = r.vshards
	}
	if r.changed("shards") || len(f.Shards.List) == 0 && f.Shards.N == 0 {
		f.Shards = config.Shards{N: r.shards}
	}
	return nil
}

// build makes the fleet that counts and the policy that judges it. named says that the log names shards: without a
// placement those are the fleet's.
func (r *replayFlags) build(f *config.Fleet, named bool) (*replayedFleet, error) {
	p := f.Pipeline()
	var err error
	if p.Document, p.Discover, err = documentOf(f, filepath.Dir(r.config)); err != nil {
		return nil, usageError{oneLine(err)}
	}
	if p.Document == nil && named {
		p.Discover = true
	}
	judge := f.Judge()
	if r.whole || p.Document == nil && !p.Discover {
		// Without a placement there is nothing to detect: the leaderboards are those of all that was read.
		p.Whole = true
		if !r.changed("pane") && p.Pane > finestPane {
			p.Pane = finestPane
		}
	}
	counting, window, pieces, err := r.counters(p)
	if err != nil {
		return nil, usageError{oneLine(err)}
	}
	fleet, err := pipeline.NewFleet(p, window, pieces)
	if err != nil {
		return nil, usageError{oneLine(err)}
	}
	store, err := profiles.Open(f.Profile, filepath.Dir(r.config))
	if err != nil {
		return nil, usageError{oneLine(fmt.Errorf("fleet %s: %w", routing.Escape(f.Name), err))}
	}
	return &replayedFleet{cfg: *f, pipeline: p, fleet: fleet, judge: judge, counting: counting, said: newSaid(), store: store}, nil
}

// finestPane is the first length of the panes of a whole window: logs of a few seconds have several, too.
const finestPane = time.Second

// documentOf reads the fleet's document, whose path is relative to dir, or adopts its placement. discover tells that the log
// names the shards.
func documentOf(f *config.Fleet, dir string) (doc *routing.Document, discover bool, err error) {
	if f.Document == "" {
		return f.Adopt()
	}
	path := f.Document
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	data, err := os.ReadFile(path) //nolint:gosec // G304: the file that the configuration names
	if err != nil {
		return nil, false, err
	}
	if doc, err = routing.ParseDocument(data); err != nil {
		return nil, false, fmt.Errorf("%s: %w", path, err)
	}
	return doc, false, f.PinsIn(doc)
}
