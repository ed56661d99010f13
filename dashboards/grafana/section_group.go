package main

import "github.com/grafana/grafana-foundation-sdk/go/units"

// group is how the instances work together.
func group() section {
	return section{title: "Instances", closed: true, panels: []panel{
		{
			kind: lines, title: "Who decides, over time", unit: plain, width: 8, span: span{0, 1},
			about: "1 on the instance that decides. Steps are failovers.",
			asks:  []ask{{job("firebreak_decider"), "{{instance}}"}},
		},
		{
			kind: lines, title: "Epoch of the decider", unit: plain, width: 8,
			about: "It grows by each change of the decider. Instances that differ for long do not read the same journal.",
			asks:  []ask{{job("firebreak_decider_epoch"), "{{instance}}"}},
		},
		{
			kind: stacks, title: "Partitions", unit: plain, width: 8,
			about: "Partitions of the log that each instance counts. Their sum is all there are.",
			asks:  []ask{{job("firebreak_owned_partitions"), "{{instance}}"}},
		},
		{
			kind: lines, title: "Deltas", unit: units.OpsPerSecond, width: 8,
			about: "Entries of the log of deltas that were accepted, and those that were not, by reason. All instances see the same. A few rejections by position are part of a rebalance and lose nothing. Foreign fleets and crowded panes are of accepted deltas and missing on the instance: instances that differ in how they count a fleet, and parts that the window has no room for.",
			asks: []ask{
				{agree("job", perSecond(job("firebreak_deltas_accepted_total"))), "accepted"},
				{some(agree("job, reason", perSecond(job("firebreak_deltas_rejected_total")))), "rejected: {{reason}}"},
				{some(perSecond(job("firebreak_delta_fleets_foreign_total"))), "{{instance}}: foreign fleets"},
				{some(perSecond(job("firebreak_delta_panes_crowded_total"))), "{{instance}}: crowded panes"},
			},
		},
		{
			kind: lines, title: "Behind the log of deltas", unit: plain, width: 8, none: "not known",
			about: "Records of the log of deltas that each instance has not read yet: near 0.",
			asks:  []ask{{job("firebreak_follower_lag_records"), "{{instance}}"}},
		},
		{
			kind: lines, title: "Traffic of deltas", unit: units.BytesPerSecondIEC, width: 8,
			about: "Bytes of the log of deltas that each instance reads.",
			asks:  []ask{{perSecond(job("firebreak_delta_followed_bytes_total")), "{{instance}}"}},
		},
		{
			kind: lines, title: "Size of a delta", unit: size, width: 12,
			about: "Of the deltas that each instance published. A message holds 1 MiB at most.",
			asks: []ask{
				{quantile("0.5", "instance", job("firebreak_delta_published_bytes"), "5m"), "{{instance}} p50"},
				{quantile("0.99", "instance", job("firebreak_delta_published_bytes"), "5m"), "{{instance}} p99"},
			},
		},
		{
			kind: lines, title: "Duration of a tick", unit: seconds, width: 12, limits: []limit{{0, good}, {2, bad}},
			about: "Time to make a delta and to append it to the log. A tick is 2 s: what takes longer falls behind.",
			asks: []ask{
				{quantile("0.5", "instance", job("firebreak_tick_duration_seconds"), "5m"), "{{instance}} p50"},
				{quantile("0.99", "instance", job("firebreak_tick_duration_seconds"), "5m"), "{{instance}} p99"},
			},
		},
	}}
}

// notices is what became of what people are told.
func notices() section {
	return section{title: "Notices", panels: []panel{
		{
			kind: stacks, title: "Deliveries", unit: plain, width: 12, none: "no receiver",
			about: "Attempts that were delivered or are retried, and notices that were given up or folded into a summary because the queue was full. Given up means that somebody was not told.",
			asks:  []ask{{sum("receiver, outcome", during(job("firebreak_deliveries_total"))), "{{receiver}} {{outcome}}"}},
		},
		{
			kind: lines, title: "Waiting to be delivered", unit: plain, width: 12, none: "no receiver",
			about: "Notices in the queue of each receiver. It fills while a receiver is away.",
			asks:  []ask{{agree("receiver", job("firebreak_delivery_queue_length")), "{{receiver}}"}},
		},
		{
			kind: lines, title: "Age of the newest weekly report", unit: seconds, width: 12, limits: []limit{{0, good}, {8 * 86400, bad}}, none: "no report was written",
			about: "Time since a report of a week was written, by whichever instance. More than eight days: one is missing.",
			asks:  []ask{{"time() - " + agree("job", job("firebreak_report_last_success_timestamp_seconds")), "{{job}}"}},
		},
		{
			kind: stacks, title: "Weekly reports that failed, by reason", unit: plain, width: 12, none: "none",
			about: "Attempts to write the report of a week that failed. It is tried again every five minutes, and given up after twelve.",
			asks:  []ask{{some(sum("reason", during(job("firebreak_report_failures_total")))), "{{reason}}"}},
		},
	}}
}
