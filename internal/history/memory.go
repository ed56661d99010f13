package history

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// memory is what a Keeper remembers, as it travels in checkpoints: in columns, so that fields may come and go.
type memory struct {
	Next  map[string]int64 // of Summary
	Peaks []fleetMemory    // by name
}

// fleetMemory is what Peaks knows of one fleet.
type fleetMemory struct {
	Fleet   string
	Newest  int64
	Tenants []tenantMemory // by name
}

// tenantMemory is one series. A step is its distance from the one before as a varint, then its rate in 2 bytes.
type tenantMemory struct {
	Name        string
	Hours, Days []byte
}

// Save is the memory that travels in checkpoints; Load takes it over. The same memory gives the same bytes.
func (k *Keeper) Save() ([]byte, error) {
	b, err := marshal(&memory{k.summary.next, k.peaks.save()})
	if err != nil {
		return nil, fmt.Errorf("history: memory: %w", err)
	}
	return b, nil
}

// Load replaces the memory by one that was saved; nothing is the memory of a beginning. After an error nothing is known.
func (k *Keeper) Load(saved []byte) error {
	m := memory{}
	k.summary.next, k.peaks.fleets = map[string]int64{}, map[string]*fleetPeaks{}
	if len(saved) > 0 {
		if err := unmarshal(saved, &m, false); err != nil {
			return fmt.Errorf("history: memory: %w", err)
		}
	}
	if err := k.peaks.load(m.Peaks); err != nil {
		k.peaks.fleets = map[string]*fleetPeaks{}
		return fmt.Errorf("history: memory: %w", err)
	}
	maps.Copy(k.summary.next, m.Next)
	return nil
}

func (p *Peaks) save() (all []fleetMemory) {
	for _, fleet := range slices.Sorted(maps.Keys(p.fleets)) {
		f := p.fleets[fleet]
		m := fleetMemory{Fleet: fleet, Newest: f.newest}
		for _, name := range slices.Sorted(maps.Keys(f.tenants)) {
			s := f.tenants[name]
			m.Tenants = append(m.Tenants, tenantMemory{name, appendSteps(s.hours), appendSteps(s.days)})
		}
		all = append(all, m)
	}
	return all
}

func appendSteps(steps []step) (b []byte) {
	last := uint32(0)
	for _, x := range steps {
		b = binary.AppendUvarint(b, uint64(x.number-last))
		b = binary.LittleEndian.AppendUint16(b, uint16(x.rate))
		last = x.number
	}
	return b
}

// load takes over what was saved, as far as there is room.
func (p *Peaks) load(all []fleetMemory) error {
	for i := range all {
		m := &all[i]
		f := &fleetPeaks{newest: m.Newest, tenants: map[string]*series{}}
		for _, t := range m.Tenants {
			s := &series{}
			var err error
			if s.hours, err = readSteps(t.Hours, f.newest, peakHours+1); err == nil {
				s.days, err = readSteps(t.Days, f.newest/24, peakDays+1)
			}
			if err != nil {
				return err
			}
			f.tenants[t.Name] = s
		}
		f.forget(p.most, p.room)
		p.fleets[m.Fleet] = f
	}
	return nil
}

// errSteps is what nobody wrote.
var errSteps = errors.New("broken steps")

// readSteps reads at most so many steps up to one.
func readSteps(b []byte, newest int64, most int) (steps []step, err error) {
	number := uint64(0)
	for len(b) > 0 {
		ahead, n := binary.Uvarint(b)
		if n <= 0 || len(b) < n+2 || ahead == 0 && len(steps) > 0 || len(steps) == most {
			return nil, errSteps
		}
		if number += ahead; number > uint64(max(0, newest)) || ahead > number {
			return nil, errSteps
		}
		rate := rate16(binary.LittleEndian.Uint16(b[n:]))
		if rate == 0 || rate > 0x7f7f || number > 1<<32-1 {
			return nil, errSteps
		}
		steps = append(steps, step{uint32(number), rate})
		b = b[n+2:]
	}
	return steps, nil
}
