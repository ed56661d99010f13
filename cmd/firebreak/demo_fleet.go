package main

import (
	"fmt"

	"firebreak/internal/config"
	"firebreak/internal/simulate"
	"firebreak/routing"
)

// demoConfig is the configuration of the fleet that the demonstration generates: what anyone would write for a log like
// this one. It maps 9 of its 14 fields.
const demoConfig = `fleets:
  - name: demo
    shards: [
        shard-0, shard-1, shard-2, shard-3, shard-4, shard-5, shard-6, shard-7,
        shard-8, shard-9, shard-10, shard-11, shard-12, shard-13, shard-14, shard-15,
        shard-16, shard-17, shard-18, shard-19, shard-20, shard-21, shard-22, shard-23,
        shard-24, shard-25, shard-26, shard-27, shard-28, shard-29, shard-30, shard-31,
        {name: spare-0, role: spare, capacity: 32000}, {name: spare-1, role: spare},
      ]
    placement: {bytes: tenant, function: xxh64}
    sampling: independent
    log_point: shard
    record:
      format: json
      fields:
        time: ts_ms
        tenant: req.tenant
        key: req.key
        op: req.op
        caller: req.caller
        shard: shard
        rate: trace.rate
        status: res.status
        latency: res.us
      time: {unit: ms}
    policy:
      capacity: {total: 16000}
      lines: {warning: 0.75, critical: 0.85}
      key_spaces:
        - {prefix: "counter:", merge: counter}
        - {prefix: "config:", staleness: 1s}
      mode: auto
      approvers: [demo]
      operations_per_hour: 30
      cool_down: 1m
      undo_delay: 3m
      grace: 1m
`

// demoShards is how many shards of demoConfig serve.
const demoShards = 32

// demoFleet reads demoConfig and adopts its placement.
func demoFleet() (config.Fleet, *routing.Table, error) {
	c, err := config.Parse("demo.yml", []byte(demoConfig))
	if err != nil {
		return config.Fleet{}, nil, err
	}
	fleet := c.Fleets[0]
	doc, _, err := fleet.Adopt()
	if err != nil {
		return config.Fleet{}, nil, err
	}
	table, err := routing.NewTable(doc)
	return fleet, table, err
}

// demoWorld generates the fleet and its story. One request of every is logged; 0 = the default.
func demoWorld(seed uint64, every int) (*simulate.World, config.Fleet, error) {
	return demoWorldOf(simulate.Acting(), seed, every)
}

// demoWorldOf is demoWorld of another story.
func demoWorldOf(cfg simulate.Config, seed uint64, every int) (*simulate.World, config.Fleet, error) {
	fleet, table, err := demoFleet()
	if err != nil {
		return nil, fleet, err
	}
	cfg.Seed, cfg.Capacity = seed, fleet.Policy.Capacity.Total
	if every > 0 {
		cfg.Every = every
	}
	w, err := simulate.New(cfg, table)
	if err != nil {
		return nil, fleet, fmt.Errorf("demo: %w", err)
	}
	return w, fleet, nil
}
