package main

import (
	"context"
	"time"

	"firebreak/internal/telemetry"
	"firebreak/pipeline"
	"firebreak/pipeline/record"
)

// lags measures how far topics and windows are behind now, also while nobody counts them.
func (d *daemon) lags(ctx context.Context) {
	ends := d.member.Ends(ctx)
	v := d.member.View() // after the ends: what is counted meanwhile is not unread
	if v == nil {
		return
	}
	behind := topicLags(v, ends, d.member.Now())
	for i := range d.cfg.Fleets {
		f := &d.cfg.Fleets[i]
		m := d.metrics.Fleet(f.Name)
		if window, missing, ok := d.member.Behind(f.Name); ok {
			m.Behind(window, missing)
		}
		for _, t := range f.Topics {
			if lag, ok := behind[t.Cluster+"/"+t.Name]; ok {
				m.Topic(telemetry.TopicName{Cluster: t.Cluster, Topic: t.Name}).Lag(lag.unread, lag.behind)
			}
		}
	}
}

// topicLag is how far a topic is behind, over all its partitions of which something was counted.
type topicLag struct {
	unread uint64        // offsets
	behind time.Duration // of the own time of the slowest
}

// topicLags gives it of each topic, "cluster/topic", of which anything was counted. ends are those of now; where one is not known,
// the one that the last delta knew has to do.
func topicLags(v *pipeline.View, ends map[string]map[int32]int64, now time.Time) map[string]topicLag {
	names := map[pipeline.TopicID]string{}
	for _, t := range v.Topics {
		names[t.ID] = t.Name
	}
	all := map[string]topicLag{}
	for p, c := range v.Counted {
		name, ok := names[p.Topic]
		if !ok {
			continue
		}
		end, known := ends[name][p.Number]
		if !known {
			end = c.End
		}
		at := c.At
		if c.Clock != record.NoTime {
			at = time.Unix(0, c.Clock)
		}
		lag := all[name]
		lag.unread += uint64(max(0, end-c.To))
		lag.behind = max(lag.behind, now.Sub(at))
		all[name] = lag
	}
	return all
}
