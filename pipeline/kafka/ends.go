package kafka

import (
	"context"
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
		asking.Go(func() { parts[i] = c.endsOf(ctx, m.cfg.Clusters[i].Topics) })
	}
	asking.Wait()
	all := map[string]map[int32]int64{}
	for i, c := range m.consumers {
		for topic, of := range parts[i] {
			all[c.cluster+"/"+topic] = of
		}
	}
	return all
}

// endsOf asks for the ends of all partitions of topics of the cluster, which need not be ours.
func (c *consumer) endsOf(ctx context.Context, topics []string) map[string]map[int32]int64 {
	all := map[string]map[int32]int64{}
	if len(topics) == 0 {
		return all // or all there are would be asked for
	}
	listed, _ := c.adm.ListCommittedOffsets(ctx, topics...) // of those that failed nothing is listed
	for topic, partitions := range listed {
		all[topic] = map[int32]int64{}
		for number, l := range partitions {
			if l.Err == nil {
				all[topic][number] = l.Offset
			}
		}
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
