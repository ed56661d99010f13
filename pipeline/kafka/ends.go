package kafka

import (
	"context"
	"maps"
	"sync"
	"time"
)

// Ends asks where the partitions of the request log end now, whoever counts them and also if nobody does: up to the last
// transaction that is over, by topic, "cluster/topic", and partition. What cannot be asked is left out.
func (m *Member) Ends(ctx context.Context) map[string]map[int32]int64 {
	ctx, cancel := context.WithTimeout(ctx, endsWait)
	defer cancel()
	parts := make([]map[string]map[int32]int64, len(m.consumers)) // each cluster's, so that none waits for another
	var asking sync.WaitGroup
	for i, c := range m.consumers {
		asking.Go(func() { parts[i] = c.allEnds(ctx, m.cfg.Clusters[i].Topics) })
	}
	asking.Wait()
	all := map[string]map[int32]int64{}
	for _, of := range parts {
		maps.Copy(all, of)
	}
	return all
}

// allEnds asks for the ends of all partitions of a cluster's topics, which need not be ours.
func (c *consumer) allEnds(ctx context.Context, topics []string) map[string]map[int32]int64 {
	all := map[string]map[int32]int64{}
	if len(topics) == 0 {
		return all
	}
	listed, _ := c.adm.ListCommittedOffsets(ctx, topics...) // of those that failed nothing is listed
	for topic, partitions := range listed {
		of := map[int32]int64{}
		for number, l := range partitions {
			if l.Err == nil {
				of[number] = l.Offset
			}
		}
		all[c.cluster+"/"+topic] = of
	}
	return all
}

// Behind says how far the window of a fleet is behind now, see [pipeline.Live.Behind].
func (m *Member) Behind(fleet string) (window time.Duration, missing int, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.live == nil {
		return 0, 0, false
	}
	return m.live.Behind(fleet, m.clock.log())
}
