package strictyaml

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Ratio is a part of a whole, 0 to 1. In a file and in a flag it is written "12%" or 0.12.
type Ratio float64

// ParseRatio reads "12%" or "0.12". What lies outside 0 to 1 is an error that says how to write it.
func ParseRatio(text string) (Ratio, error) {
	digits, percent := strings.CutSuffix(text, "%")
	scaled := digits
	if percent {
		scaled += "e-2" // rounds once: 0.1% is the float64 nearest to 0.001
	}
	f, err := strconv.ParseFloat(scaled, 64)
	switch {
	case err != nil || strings.Trim(digits, "0123456789.") != "":
		return 0, fmt.Errorf(`%s is no ratio; write "12%%" or 0.12`, shown(text))
	case f > 1 && f <= 100 && !percent:
		return 0, fmt.Errorf(`%s is more than 1; did you mean "%s%%"?`, text, text)
	case f > 1:
		return 0, fmt.Errorf("%s is more than the whole; a ratio is 0%% to 100%%, or 0 to 1", text)
	}
	return Ratio(f), nil
}

// UnmarshalText is ParseRatio.
func (r *Ratio) UnmarshalText(text []byte) error {
	parsed, err := ParseRatio(string(text))
	if err == nil {
		*r = parsed
	}
	return err
}

// String returns the shortest decimal that ParseRatio reads back as the same value.
func (r Ratio) String() string { return strconv.FormatFloat(float64(r), 'f', -1, 64) }

// parseDuration is time.ParseDuration with errors that say what to write.
func parseDuration(text string) (time.Duration, error) {
	dur, err := time.ParseDuration(text)
	if err == nil {
		return dur, nil
	}
	number := strings.TrimRight(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZµ ")
	value, numErr := strconv.ParseFloat(number, 64)
	word := strings.ToLower(strings.TrimSpace(text[len(number):]))
	if numErr == nil && word == "" {
		return 0, fmt.Errorf("%s has no unit; write %ss, %sm or %sh", shown(text), number, number, number)
	}
	if unit, factor := meantUnit(word); numErr == nil && unit != "" {
		return 0, fmt.Errorf("%s is no duration; did you mean %q?", shown(text), strconv.FormatFloat(value*factor, 'f', -1, 64)+unit)
	}
	return 0, fmt.Errorf("%s is no duration; write a number and its unit (ns, us, ms, s, m, h), as 30s or 1h30m", shown(text))
}

// meantUnit returns the unit of time.ParseDuration for a word that people write, and how many of it one is; "" if none is near.
func meantUnit(word string) (unit string, factor float64) {
	switch word {
	case "ms", "msec", "millis", "millisecond", "milliseconds":
		return "ms", 1
	case "s", "sec", "secs", "second", "seconds":
		return "s", 1
	case "m", "min", "mins", "minute", "minutes":
		return "m", 1
	case "h", "hr", "hrs", "hour", "hours":
		return "h", 1
	case "d", "day", "days":
		return "h", 24
	case "w", "week", "weeks":
		return "h", 7 * 24
	}
	return "", 0
}
