package main

import "github.com/grafana/grafana-foundation-sdk/go/units"

// now is what a person looks at first.
func now() section {
	return section{title: "Now", panels: []panel{
		{
			kind: number, title: "Open hotspots", unit: plain, width: 4, limits: wrongFrom(1), none: "not known",
			about: "Shards that are over their line, as last told. While the input cannot be judged, those that were open stay open.",
			asks:  []ask{{"sum(" + agree("job, fleet, cause, severity", fleet("firebreak_hotspots")) + ")", "open"}},
		},
		{
			kind: number, title: "Fleets that cannot be judged", unit: plain, width: 4, limits: wrongFrom(1), none: "not known",
			about: "Fleets about which nothing is known now: nothing fires, resolves or is undone. Coverage, lag and missing partitions below say why. A fleet without any traffic so far is one of them.",
			asks:  []ask{{"sum(" + agree("job, fleet", fleet("firebreak_blind")) + ")", "blind"}},
		},
		{
			kind: number, title: "Least coverage", unit: ratio, width: 4, none: "not known", span: span{0, 1},
			limits: []limit{{0, bad}, {0.95, warn}, {0.99, good}},
			about:  "Share of the log that was counted, of the fleet that has the least. Below 95 % its verdict is unknown.",
			asks:   []ask{{"min(" + fleet("firebreak_coverage_ratio") + ")", "coverage"}},
		},
		{
			kind: number, title: "Largest lag", unit: seconds, width: 4, none: "not known", limits: []limit{{0, good}, {30, warn}, {60, bad}},
			about: "How far the slowest partition of any topic is behind. Beyond a minute (max_lag) the input is stale and the verdict unknown.",
			asks:  []ask{{"max(" + fleet("firebreak_source_lag_seconds") + ")", "lag"}},
		},
		{
			kind: name, title: "Who decides", unit: plain, width: 4, none: "nobody",
			about: "The one instance that writes the journal and tells receivers. Two names that stay mean two groups under one job, or a fault; none for more than a failover takes means that nothing is told.",
			asks:  []ask{{job("firebreak_decider") + " == 1", "{{instance}}"}},
		},
		{
			kind: number, title: "Instances", unit: plain, width: 4, none: "none", limits: []limit{{0, bad}, {1, good}},
			about: "Instances that answer Prometheus, and those that it knows.",
			asks:  []ask{{"count(" + job("up") + " == 1)", "up"}, {"count(" + job("up") + ")", "known"}},
		},
	}}
}

// hotspots is what was found.
func hotspots() section {
	return section{title: "Hotspots", panels: []panel{
		{
			kind: stacks, title: "Open hotspots by fleet, cause and severity", unit: plain, width: 12, none: "not known",
			about: "A hotspot is a shard over its line for long enough. Its cause says who loads it: a hot key, a whale tenant, volume, or unknown where the evidence does not carry one. Keys and tenants stand in the journal and the notices, never in metrics.",
			asks:  []ask{{agree("fleet, cause, severity", fleet("firebreak_hotspots")), "{{fleet}} {{cause}} {{severity}}"}},
		},
		{
			kind: stacks, title: "Verdicts told", unit: plain, width: 12, none: "none yet",
			about: "Hotspots that fired, were revised (another cause, object or fix) or resolved, as the instance that decides counted them.",
			asks:  []ask{{sum("fleet, cause, phase", decided(during(fleet("firebreak_verdicts_total")))), "{{fleet}} {{cause}} {{phase}}"}},
		},
		{
			kind: lines, title: "Detection delay", unit: seconds, width: 12, none: "nothing fired in the last hour", limits: []limit{{0, good}, {300, bad}},
			about: "From the onset of a hotspot to its first verdict, over the last hour. It is 30 s at least; the goal is five minutes.",
			asks: []ask{
				{quantile("0.5", "fleet", fleet("firebreak_detection_delay_seconds"), "1h"), "{{fleet}} p50"},
				{quantile("0.99", "fleet", fleet("firebreak_detection_delay_seconds"), "1h"), "{{fleet}} p99"},
			},
		},
		{
			kind: lines, title: "Refusals to act, by reason", unit: plain, width: 6, none: "none",
			about: "Holds that are in force, and why: of each hotspot and of the fleet. observe_mode is how every fleet begins.",
			asks:  []ask{{some(agree("fleet, reason", fleet("firebreak_holds"))), "{{fleet}} {{reason}}"}},
		},
		{
			kind: lines, title: "Advice, by topic", unit: plain, width: 6, none: "none",
			about: "Shards that are unwell at an ordinary load, and whose limits are near: look at the host, not at the traffic.",
			asks:  []ask{{some(agree("fleet, topic", fleet("firebreak_advice"))), "{{fleet}} {{topic}}"}},
		},
	}}
}

// process is about the programs.
func process() section {
	of := job
	return section{title: "Processes", closed: true, panels: []panel{
		{
			kind: lines, title: "Memory", unit: size, width: 8,
			about: "Resident memory of each instance, and the limit that the Go runtime keeps to where GOMEMLIMIT is set. It grows until the window is full, then it stays.",
			asks: []ask{
				{of("process_resident_memory_bytes"), "{{instance}}"},
				{of("go_gc_gomemlimit_bytes") + " < 2^50", "{{instance}} limit"},
			},
		},
		{
			kind: lines, title: "Processor", unit: cores, width: 8,
			about: "Cores that each instance keeps busy.",
			asks:  []ask{{perSecond(of("process_cpu_seconds_total")), "{{instance}}"}},
		},
		{
			kind: lines, title: "Age", unit: units.DurationSeconds, width: 8,
			about: "Time since each instance was started. A saw is a process that dies again and again.",
			asks:  []ask{{"time() - " + of("process_start_time_seconds"), "{{instance}}"}},
		},
		{
			kind: lines, title: "Goroutines", unit: plain, width: 12,
			about: "Goroutines of each instance: about the same at all times.",
			asks:  []ask{{of("go_goroutines"), "{{instance}}"}},
		},
		{
			kind: name, title: "Version", unit: plain, width: 12,
			about: "What runs. More than one name is a roll-out, or a forgotten instance.",
			asks:  []ask{{"count by (version, revision, goversion) (" + of("firebreak_build_info") + ")", "{{version}} {{revision}} {{goversion}}"}},
		},
	}}
}
