package main

import "github.com/grafana/grafana-foundation-sdk/go/units"

// trust is how far a verdict can be trusted.
func trust() section {
	return section{title: "How far it can be trusted", panels: []panel{
		{
			kind: lines, title: "Coverage", unit: ratio, width: 8, span: span{0.9, 1}, limits: []limit{{0, bad}, {0.95, good}}, none: "not known",
			about: "Share of the window that was counted: offsets that were not skipped, times records that were not refused. Below 95 % (policy.coverage) the verdict is unknown.",
			asks:  []ask{{least("fleet", fleet("firebreak_coverage_ratio")), "{{fleet}}"}},
		},
		{
			kind: lines, title: "Cannot be judged", unit: plain, width: 8, span: span{0, 1}, limits: wrongFrom(1), none: "not known",
			about: "1 while a fleet's input cannot be judged, and until it first was; 0 otherwise. Missing partitions are those that no instance has reported for a minute.",
			asks: []ask{
				{agree("fleet", fleet("firebreak_blind")), "{{fleet}} blind"},
				{some(agree("fleet", fleet("firebreak_missing_partitions"))), "{{fleet}} missing partitions"},
			},
		},
		{
			kind: lines, title: "Window", unit: plain, width: 8, none: "not known",
			about: "Complete panes in the long window. It grows until the window is full; a fleet is judged once it is warm.",
			asks: []ask{
				{agree("fleet", fleet("firebreak_window_panes")), "{{fleet}} panes"},
				{agree("fleet", fleet("firebreak_window_warm")), "{{fleet}} warm"},
			},
		},
		{
			kind: lines, title: "Lag in seconds", unit: seconds, width: 12, limits: []limit{{0, good}, {60, bad}}, none: "not known",
			about: "How far the slowest partition of a topic is behind, and how old the newest complete pane is beyond the allowed disorder. What is more than a minute behind (policy.max_lag) is stale.",
			asks: []ask{
				{agree("fleet, cluster, topic", fleet("firebreak_source_lag_seconds")), "{{fleet}} {{cluster}} {{topic}}"},
				{agree("fleet", fleet("firebreak_window_lag_seconds")), "{{fleet}} window"},
			},
		},
		{
			kind: lines, title: "Lag in records", unit: plain, width: 12, none: "not known",
			about: "Offsets of a topic that are not counted yet, over all partitions and whoever owns them.",
			asks:  []ask{{agree("fleet, cluster, topic", fleet("firebreak_source_lag_records")), "{{fleet}} {{cluster}} {{topic}}"}},
		},
		{
			kind: lines, title: "Error of the sketch", unit: ratio, width: 8, none: "not known",
			about: "Width of the bounds of the heaviest key over its estimate (0 = exact), and the most that a key that is not listed may have of the load. The latter hides no hot key while it is below 0.25 / shards.",
			asks: []ask{
				{agree("fleet", fleet("firebreak_sketch_heaviest_key_error_ratio")), "{{fleet}} heaviest key"},
				{agree("fleet", fleet("firebreak_sketch_unlisted_key_ratio")), "{{fleet}} unlisted keys"},
			},
		},
		{
			kind: lines, title: "Memory of the sketch", unit: size, width: 8, none: "not known",
			about: "The most memory that a fleet's window takes on each instance. It is fixed from the start, whatever the input.",
			asks:  []ask{{agree("fleet", fleet("firebreak_sketch_memory_bytes")), "{{fleet}}"}},
		},
		{
			kind: lines, title: "Thinning", unit: ratio, width: 8, span: span{0, 1}, none: "not known",
			about: "The smallest share of its records that a partition keeps because its instance cannot follow. What is kept stands for what is not: coverage stays, certainty falls. Below 1 for long, add instances or partitions.",
			asks:  []ask{{least("fleet, instance", fleet("firebreak_thinning_keep_ratio")), "{{fleet}} {{instance}}"}},
		},
	}}
}

// log is what the records of the log are like.
func log() section {
	return section{title: "The request log", panels: []panel{
		{
			kind: stacks, title: "Records counted", unit: units.RecordsPerSecond, width: 8,
			about: "Records of the log that each instance counts.",
			asks:  []ask{{sum("fleet, instance", perSecond(fleet("firebreak_records_counted_total"))), "{{fleet}} {{instance}}"}},
		},
		{
			kind: stacks, title: "Requests that they stand for", unit: units.RequestsPerSecond, width: 8,
			about: "What the counted records stand for: count / rate. It is the fleet's load, if the log says at which rate it was sampled.",
			asks:  []ask{{sum("fleet", perSecond(fleet("firebreak_requests_counted_total"))), "{{fleet}}"}},
		},
		{
			kind: lines, title: "Records left out or ignored", unit: units.RecordsPerSecond, width: 8, none: "none",
			about: "Records that thinning left out; lines that are blank or of another fleet; and, counted nevertheless, records without a time, a placement or a rate.",
			asks: []ask{
				{some(sum("fleet", perSecond(fleet("firebreak_records_thinned_total")))), "{{fleet}} thinned"},
				{some(sum("fleet, reason", perSecond(fleet("firebreak_lines_ignored_total")))), "{{fleet}} {{reason}}"},
				{some(sum("fleet, what", perSecond(fleet("firebreak_records_lacking_total")))), "{{fleet}} without {{what}}"},
			},
		},
		{
			kind: stacks, title: "Records refused, by reason", unit: units.RecordsPerSecond, width: 12, none: "none",
			about: "Records that were read and could not be counted. All but late ones lower the coverage. A sample of each reason is in the instance's own log.",
			asks:  []ask{{some(sum("fleet, reason", perSecond(fleet("firebreak_records_refused_total")))), "{{fleet}} {{reason}}"}},
		},
		{
			kind: stacks, title: "Offsets skipped, by reason", unit: plain, width: 12, none: "none",
			about: "Offsets that were passed without being read: deleted before that (retention), lost by the broker (data_loss). They lower the coverage.",
			asks:  []ask{{some(agree("fleet, reason", during(fleet("firebreak_offsets_skipped_total")))), "{{fleet}} {{reason}}"}},
		},
	}}
}
