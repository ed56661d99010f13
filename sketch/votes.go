package sketch

// votes finds who sends most of a name's Cost, in the manner of Space-Saving with two counters (Metwally, Agrawal and
// El Abbadi 2005). Whoever sends more than half is one of the two in the end, and cost - lost never exceeds what it sent;
// with one or two senders both are exact. The zero value has no votes.
type votes struct {
	who  [2]uint64 // hash of the sender; its cost says whether there is one
	cost [2]uint64
	lost [2]uint64 // the part of cost that others had sent before
	any  [2]bool
}

// add counts cost for a sender. It reports whether the sender held a counter already.
func (v *votes) add(who, cost uint64) bool {
	for i := range v.who {
		if v.who[i] == who && v.any[i] {
			v.cost[i] = plus(v.cost[i], cost)
			return true
		}
	}
	i := 0
	if v.any[0] && (!v.any[1] || v.cost[1] < v.cost[0]) {
		i = 1
	}
	v.who[i], v.lost[i], v.any[i] = who, v.cost[i], true
	v.cost[i] = plus(v.cost[i], cost)
	return false
}

// sent is the least that a counter's sender has sent.
func (v *votes) sent(i int) uint64 { return v.cost[i] - v.lost[i] }
