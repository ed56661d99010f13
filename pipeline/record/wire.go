package record

// wire makes room for the values of one line and what stands beside it, and tells every field where its own will be.
func (d *Decoder) wire() {
	d.vals = make([]value, len(d.paths)+len(d.parts))
	d.inside, d.beside = d.vals[:len(d.paths):len(d.paths)], d.vals[len(d.paths):]
	for i, p := range d.parts {
		if p.what == partTime {
			d.stamp = &d.beside[i]
		}
	}
	d.wireMatch()
	for i := range d.fields {
		for j, slot := range d.fields[i].slots {
			d.fields[i].slots[j] = d.settle(slot)
		}
		switch s := &d.fields[i]; {
		case len(s.slots) == 0:
			s.at = &d.none
		case len(s.slots) == 1 && s.re == nil && len(d.absent) == 0:
			s.at = &d.vals[s.slots[0]]
		}
	}
}

// wireMatch puts the conditions on what stands beside a line first and settles all slots.
func (d *Decoder) wireMatch() {
	var beside, inside []match
	for _, m := range d.match {
		if m.slot < 0 {
			m.slot = d.settle(m.slot)
			beside = append(beside, m)
		} else {
			inside = append(inside, m)
		}
	}
	d.early, d.match = len(beside), append(beside, inside...)
}

// newSplitter chooses the format's splitter.
func (d *Decoder) newSplitter(cfg Config) {
	switch cfg.Format {
	case formatJSON:
		d.split = newJSONSplitter(d.paths)
	case formatCSV:
		d.csv = newCSVSplitter(',', !cfg.NoHeader, d.paths)
		d.split = d.csv
	case formatTSV:
		d.csv = newCSVSplitter('\t', !cfg.NoHeader, d.paths)
		d.split = d.csv
	case formatCombined:
		d.split = newCombinedSplitter(d.paths)
	case formatLogfmt:
		d.split = newLogfmtSplitter(d.paths)
	case formatNone:
		d.split = noSplitter{}
	case formatConfluent:
		d.framed = newFramedSplitter(d.paths)
		d.split = d.framed
	}
}
