package record

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"time"
)

// FuzzNumber holds parseNumber against strconv: the same bits, or both refuse (strconv also takes hexadecimal and
// underscores, which are not numbers here).
func FuzzNumber(f *testing.F) {
	for _, seed := range []string{
		"0", "1", "-0", "+3", "0.1", ".5", "5.", ".", "", "-", "1e3", "1e", "1e+", "1E-400", "1e400", "-1e999", "nan", "NaN", "inf", "+Infinity",
		"123456789012345", "1234567890.12345", "1234567890123456", "0.000000000000001", "0x10", "1_000", "1,5", "12 ", " 12", "0000000000000000001", "--1", "٣",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := parseNumber([]byte(s))
		trimmed := strings.TrimSpace(s)
		want, err := strconv.ParseFloat(trimmed, 64)
		wantOK := (err == nil || math.IsInf(want, 0)) && !strings.ContainsAny(trimmed, "xX_pP")
		if ok != wantOK || ok && math.Float64bits(got) != math.Float64bits(want) {
			t.Fatalf("%q: %v %v, strconv has %v %v", s, got, ok, want, err)
		}
	})
}

// FuzzClock holds the hand-written time readers against the time package.
func FuzzClock(f *testing.F) {
	for _, seed := range []string{
		"2015-05-17T10:05:03Z", "2015-05-17T10:05:03.123456789+02:00", "2015-02-29T00:00:00Z", "2016-02-29T23:59:59-23:59",
		"17/May/2015:10:05:03 +0000", "31/Apr/2015:10:05:03 -0730", "17/Mai/2015:10:05:03 +0000", "2262-04-11T23:47:16.854775807Z",
		"2262-04-11T23:47:16.854775808Z", "1677-09-21T00:12:43.145224193Z", "0000-01-01T00:00:00Z", "2015-05-17T24:00:00Z", "2015-05-17T10:05:60Z",
		"2015-05-17T10:05:03", "2015-05-17T10:05:03.Z", "17/anF/2015:10:05:03 +0000", "2015-05-17t10:05:03z", "2015-05-17T10:05:03,5Z",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		trimmed := strings.TrimSpace(s)
		for layout, got := range map[string]func([]byte) (int64, bool){time.RFC3339: parseRFC3339, clfLayout: parseCLF} {
			nanos, ok := got([]byte(trimmed))
			want, err := time.Parse(layout, trimmed)
			wantNanos, wantOK := nanosOf(want)
			if err != nil {
				// RFC 3339 allows t, z and a space, which Go does not.
				again, err := time.Parse(layout, strings.ToUpper(strings.Replace(trimmed, " ", "T", 1)))
				if layout != time.RFC3339 || err != nil {
					wantOK = false
				} else {
					wantNanos, wantOK = nanosOf(again)
				}
			}
			if ok && !wantOK || ok && nanos != wantNanos {
				t.Fatalf("%q as %q: %d, time.Parse has %d %v", s, layout, nanos, wantNanos, err)
			}
			if !ok && wantOK && strict(layout, trimmed) {
				t.Fatalf("%q as %q is refused, time.Parse has %d", s, layout, wantNanos)
			}
		}
	})
}

// strict tells whether a text is of the layout's exact shape: time.Parse also takes a comma for the point, one-digit
// hours, any case of a month and offsets of 24 hours and more.
func strict(layout, s string) bool {
	if layout == clfLayout {
		return len(s) == len(clfLayout) && strings.Contains("JanFebMarAprMayJunJulAugSepOctNovDec", s[3:6]) && s[22:24] < "24" && s[24:26] < "60"
	}
	return !strings.Contains(s, ",") && len(s) >= 20 && s[13] == ':' && s[16] == ':'
}

func TestUnixTimes(t *testing.T) {
	for _, c := range []struct {
		unit, text string
		want       int64
		ok         bool
	}{
		{"s", "1712", 1712e9, true},
		{"s", "1712.345", 1712345e6, true},
		{"s", "1712.3456789019", 1712345678901, true},
		{"s", "1.712345678e9", 1712345678e9, true},
		{"ms", "1431857100000", 1431857100e9, true},
		{"ms", "1431857100000.25", 1431857100000250000, true},
		{"us", "1431857100000001", 1431857100000001e3, true},
		{"ns", "1431857100000000001", 1431857100000000001, true},
		{"ns", "1.9", 1, true},
		{"s", "-1.5", -15e8, true},
		{"s", " 3 ", 3e9, true},
		{"s", "9223372036", 0, false},
		{"s", "99999999999999999999999", 0, false},
		{"s", "1e30", 0, false},
		{"s", "nan", 0, false},
		{"s", "", 0, false},
		{"s", "2015-05-17", 0, false},
		{"s", "12s", 0, false},
	} {
		clock, err := newClock(TimeConfig{Unit: c.unit}, true)
		if err != nil {
			t.Fatal(err)
		}
		got, ok := clock.parse([]byte(c.text))
		if ok != c.ok || ok && got != c.want {
			t.Errorf("%q in %s: %d %v, want %d %v", c.text, c.unit, got, ok, c.want, c.ok)
		}
	}
}

func TestLayoutsAndZones(t *testing.T) {
	berlin := TimeConfig{Layout: "2006-01-02 15:04:05", Zone: "Europe/Berlin"}
	for _, c := range []struct {
		cfg  TimeConfig
		text string
		want string // RFC 3339 in UTC; empty = refused
	}{
		{berlin, "2015-05-17 10:05:03", "2015-05-17T08:05:03Z"},
		{berlin, "2015-05-17", ""},
		{TimeConfig{Layout: "2006-01-02 15:04:05"}, "2015-05-17 10:05:03.25", "2015-05-17T10:05:03.25Z"},
		{TimeConfig{Layout: "2006-01-02 15:04 -0700", Zone: "Europe/Berlin"}, "2015-05-17 10:05 +0000", "2015-05-17T10:05:00Z"},
		{TimeConfig{Layout: "RFC3339"}, "2015-05-17T10:05:03+02:00", "2015-05-17T08:05:03Z"},
		{TimeConfig{Layout: "clf"}, "17/May/2015:10:05:03 -0130", "2015-05-17T11:35:03Z"},
	} {
		clock, err := newClock(c.cfg, true)
		if err != nil {
			t.Errorf("%v: %v", c.cfg, err)
			continue
		}
		nanos, ok := clock.parse([]byte(c.text))
		got := ""
		if ok {
			got = time.Unix(0, nanos).UTC().Format(time.RFC3339Nano)
		}
		if got != c.want {
			t.Errorf("%q as %v: %q, want %q", c.text, c.cfg, got, c.want)
		}
	}
}
