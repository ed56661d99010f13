package routing

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

var errNoDocument = errors.New("document: nil")

const (
	// maxName bounds the names of fleets and shards and the tenure, in bytes.
	maxName = 255
	// maxKey bounds keys and tenants, in bytes: longer ones are counted by a prefix and a hash, which routes nothing.
	maxKey = 1024
	// maxPieces bounds the pieces of a salt: a read costs one request each.
	maxPieces = 1024
)

// Validate says whether d may be compiled, stored and routed by. Errors name the field and its value. It fills in nothing.
func (d *Document) Validate() error {
	_, err := d.validate(nil)
	return err
}

// validate judges d and compiles its placement, or takes prior's where it is the same.
func (d *Document) validate(prior *Table) (*base, error) {
	if d.Schema != Schema {
		return nil, fmt.Errorf("schema: %d, want %d", d.Schema, Schema)
	}
	if d.Version < 1 {
		return nil, fmt.Errorf("version: %d, want at least 1", d.Version)
	}
	if err := checkText("fleet", d.Fleet, maxName); err != nil {
		return nil, err
	}
	if len(d.Tenure) > maxName {
		return nil, fmt.Errorf("tenure: %d bytes, want at most %d", len(d.Tenure), maxName)
	}
	if prior == nil || !slices.Equal(prior.doc.Shards, d.Shards) {
		if err := checkShards(d.Shards); err != nil {
			return nil, err
		}
	}
	b, err := d.baseFrom(prior)
	if err != nil {
		return nil, err
	}
	if err := d.checkExceptions(b); err != nil {
		return nil, err
	}
	return b, d.checkSize()
}

// baseFrom is prior's compiled placement where nothing it was compiled from differs.
func (d *Document) baseFrom(prior *Table) (*base, error) {
	if prior == nil || !prior.base.placement.equal(d.Placement) {
		return newBase(d.Placement, d.Shards)
	}
	n := d.Placement.Shards
	if len(d.Shards) < n || !slices.EqualFunc(prior.doc.Shards[:n], d.Shards[:n], func(a, b Shard) bool {
		return a.Name == b.Name && b.Role != RoleUnknown
	}) {
		return newBase(d.Placement, d.Shards)
	}
	return prior.base, nil
}

func (d *Document) checkExceptions(b *base) error {
	for _, check := range []func(*base) error{d.checkMoves, d.checkSalts, d.checkTenants, d.checkQuotas, d.checkCached, d.checkFenced, d.checkDoubled} {
		if err := check(b); err != nil {
			return err
		}
	}
	return nil
}

func checkText(field, s string, limit int) error {
	if s == "" || len(s) > limit {
		return fmt.Errorf("%s: %d bytes, want 1 to %d", field, len(s), limit)
	}
	return nil
}

func checkShards(shards []Shard) error {
	if len(shards) < 1 || len(shards) > MaxShards {
		return fmt.Errorf("shards: %d, want 1 to %d", len(shards), MaxShards)
	}
	seen := make(map[string]int, len(shards))
	var errs []error
	for i, s := range shards {
		if err := s.check(fmt.Sprintf("shards[%d]", i)); err != nil {
			errs = append(errs, err)
		}
		if first, ok := seen[s.Name]; ok {
			errs = append(errs, fmt.Errorf("shards[%d].name: %q is the name of shards[%d] too", i, Escape(s.Name), first))
			continue
		}
		seen[s.Name] = i
	}
	return errors.Join(errs...)
}

// check judges what a shard is by itself; at is its place in the document.
func (s *Shard) check(at string) error {
	var errs []error
	if err := checkText(at+".name", s.Name, maxName); err != nil {
		errs = append(errs, err)
	}
	if s.Role > Draining {
		errs = append(errs, fmt.Errorf("%s.role: %s", at, s.Role))
	}
	for _, c := range [...]struct {
		field string
		value float64
	}{{"capacity", s.Capacity}, {"read_capacity", s.ReadCapacity}, {"write_capacity", s.WriteCapacity}} {
		if !(c.value >= 0) || math.IsInf(c.value, 0) {
			errs = append(errs, fmt.Errorf("%s.%s: %v a second, want a number from 0 on", at, c.field, c.value))
		}
	}
	return errors.Join(errs...)
}
