package policy

const (
	// callerShare of one caller makes it the thing to limit.
	callerShare = 0.5
	// leastOfCaller effective samples carry such a share: of fewer one burst of a caller can be all.
	leastOfCaller = 20
	// leastQuota is the least part of its load that a quota may leave a tenant.
	leastQuota = 0.01
	// limitFill is the part of its room that a limit fills: which part of the load it holds back is measured too.
	limitFill = 0.9
)

// quota limits the tenant to what the hot shard has room for; never to nothing:
// where its neighbours may fill the shard by themselves it gets half of the
// target, and a split makes the room.
func (l *layout) quota(it *item) {
	l.kept = l.kept.minus(it.on)
	room := l.room(l.kept)
	if room < leastQuota*it.on.load {
		room = l.e.target * l.e.w.seconds / 2
	}
	l.taken(it)
	l.steps = append(l.steps, l.e.quotaStep(it, l.limit(it.on, room/it.on.load)*it.all.load/l.e.w.seconds))
}

// taken keeps a later split from moving what a limit has taken off already.
func (l *layout) taken(it *item) {
	if it.key != nil {
		l.pinned[it.key.VShard] = true
		return
	}
	if l.tenants = append(l.tenants, it.tenant); !l.e.separates() {
		l.pinned[l.e.v.s.Table.VShard([]byte(it.tenant), nil)] = true
	}
}

// room is what a limit may let through to the hot shard beside rest, as load over the window.
func (l *layout) room(rest amount) float64 {
	fill := limitFill
	if rest.load < (1-limitFill)*l.e.load.load {
		fill = 1 - 1e-9 // next to nothing lies beside it
	}
	return fill * (l.e.target*l.e.w.seconds - l.limited - rest.upper(l.alpha, l.unseen))
}

// limit lets a part of a load through, at most all of it, and returns the part.
func (l *layout) limit(on amount, part float64) float64 {
	part = min(part, 1)
	l.limited += part * on.load
	return part
}

func (e *evidence) quotaStep(it *item, rate float64) Step {
	return Step{Kind: StepQuota, Tenant: it.tenant, Rate: rate, Refused: max(0, it.all.load/e.w.seconds-rate)}
}

// limitCaller limits the caller that sends most of the contributor to what the
// hot shard has room for; never to nothing, what is left is for a split.
func (l *layout) limitCaller(it *item) {
	if it.caller == "" || it.callers < callerShare {
		l.failed = "no one caller sends half of it"
		return
	}
	n := it.on.samples()
	if n < leastOfCaller {
		l.failed = "too few requests were seen to say that one caller sends half of it"
		return
	}
	off := it.on.part(it.callers)
	l.kept = l.kept.minus(off)
	p := (it.callers*n + 1) / (n + 2) // the share is a proportion of n samples; by the rule of succession, as 20 of 20 do not make it certain
	l.kept.variance += it.on.load * it.on.load * p * (1 - p) / n
	part := l.limit(off, max(leastQuota, l.room(l.kept)/off.load))
	l.taken(it)
	sent := it.all.load * it.callers / l.e.w.seconds
	key, tenant := it.name()
	l.steps = append(l.steps, Step{Kind: StepLimitCaller, Key: key, Tenant: tenant, Caller: it.caller, Rate: part * sent, Refused: (1 - part) * sent})
}

// defaultQuota is the tenant's highest 5-minute rate of the 7 days before the
// onset x 1.2; without a history, what its shard had room for.
func (v *view) defaultQuota(it *item, e *evidence) float64 {
	for _, h := range v.s.Inputs.Histories {
		if h.Tenant == it.tenant && h.Peak > 0 {
			return 1.2 * h.Peak
		}
	}
	rest := e.load.minus(it.on)
	room := max(e.target*e.w.seconds-rest.load, leastQuota*it.on.load)
	return min(room, it.on.load) / e.w.seconds * it.all.load / max(it.on.load, 1e-300)
}
