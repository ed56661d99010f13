package record

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"time"
)

// clock reads the time field as TimeConfig says. unit is nanoseconds, 0 where layout is used.
type clock struct {
	unit   int64
	layout string
	zone   *time.Location
}

// clfLayout is the time of the common log format, as Apache's and nginx' manuals give it.
const clfLayout = "02/Jan/2006:15:04:05 -0700"

// newClock checks the configuration. used says whether a time field is mapped at all.
func newClock(cfg TimeConfig, used bool) (clock, error) {
	switch {
	case cfg.Unit != "" && cfg.Layout != "":
		return clock{}, fmt.Errorf("unit %q and layout %q exclude each other", cfg.Unit, cfg.Layout)
	case cfg.Unit != "":
		unit, err := unitNanos(cfg.Unit)
		return clock{unit: unit}, err
	case cfg.Layout != "":
		return newLayout(cfg)
	case used:
		return clock{}, fmt.Errorf("a time field is mapped: say unit (s, ms, us, ns) or layout (RFC3339, clf, a Go layout)")
	default:
		return clock{}, nil
	}
}

// newLayout checks that a layout keeps date, hour and minute of a time that has them all different.
func newLayout(cfg TimeConfig) (clock, error) {
	zone := time.UTC
	if cfg.Zone != "" {
		var err error
		if zone, err = time.LoadLocation(cfg.Zone); err != nil {
			return clock{}, fmt.Errorf("zone: %w", err)
		}
	}
	layout := cfg.Layout
	switch layout {
	case "RFC3339":
		layout = time.RFC3339
	case "clf":
		layout = clfLayout
	}
	probe := time.Date(2011, time.October, 23, 17, 48, 0, 0, zone)
	back, err := time.ParseInLocation(layout, probe.Format(layout), zone)
	if err != nil || !back.Equal(probe) {
		return clock{}, fmt.Errorf("layout %q does not keep date, hour and minute: it is a Go layout, written as the moment 2006-01-02 15:04:05", cfg.Layout)
	}
	return clock{layout: layout, zone: zone}, nil
}

// unitNanos returns the nanoseconds of a unit's name.
func unitNanos(unit string) (int64, error) {
	switch unit {
	case "s":
		return int64(time.Second), nil
	case "ms":
		return int64(time.Millisecond), nil
	case "us":
		return int64(time.Microsecond), nil
	case "ns":
		return int64(time.Nanosecond), nil
	default:
		return 0, fmt.Errorf("unit %q: want s, ms, us or ns", unit)
	}
}

// parse returns Unix nanoseconds, or false if b is not a time of the configured form or not one between the years
// 1678 and 2262, which is what int64 nanoseconds hold.
func (c *clock) parse(b []byte) (nanos int64, ok bool) {
	b = bytes.TrimSpace(b)
	switch {
	case c.unit != 0:
		return parseUnix(b, c.unit)
	case c.layout == time.RFC3339:
		return parseRFC3339(b)
	case c.layout == clfLayout:
		return parseCLF(b)
	}
	t, err := time.ParseInLocation(c.layout, string(b), c.zone)
	if err != nil {
		return 0, false
	}
	return nanosOf(t)
}

// nanosOf is UnixNano with its range checked.
func nanosOf(t time.Time) (nanos int64, ok bool) {
	nanos = t.UnixNano()
	return nanos, time.Unix(0, nanos).Equal(t) && nanos != NoTime
}

// wholeUnits returns a number of units of that many nanoseconds, false if int64 does not hold one more.
func wholeUnits(whole uint64, unit int64) (nanos int64, ok bool) {
	high, low := bits.Mul64(whole, uint64(unit))
	return int64(low), high == 0 && low <= math.MaxInt64-uint64(unit)
}

// parseUnix reads a decimal number of units of that many nanoseconds exactly; what is finer than a nanosecond is cut.
func parseUnix(b []byte, unit int64) (nanos int64, ok bool) {
	if whole, ok := wholeOf(b); ok {
		return wholeUnits(whole, unit)
	}
	if !decimal(b) {
		return 0, false
	}
	if bytes.ContainsAny(b, "eE") {
		f, ok := parseNumber(b)
		f *= float64(unit)
		return int64(f), ok && math.Abs(f) < math.MaxInt64
	}
	negative := b[0] == '-'
	b = skipSign(b)
	whole := digitRun(b)
	for _, c := range b[:whole] {
		if nanos > (math.MaxInt64-9)/10 {
			return 0, false
		}
		nanos = nanos*10 + int64(c-'0')
	}
	if nanos > math.MaxInt64/unit-1 {
		return 0, false
	}
	nanos *= unit
	if whole < len(b) {
		for _, c := range b[whole+1:] {
			unit /= 10
			nanos += int64(c-'0') * unit
		}
	}
	if negative {
		nanos = -nanos
	}
	return nanos, true
}
