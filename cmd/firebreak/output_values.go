package main

import (
	"encoding/json"
	"math"
	"strconv"
	"time"

	"firebreak/routing"
)

// name is a key, tenant or other name: bytes. It is written by routing.Escape, which routing.Unescape takes back.
type name string

// MarshalJSON writes the escape as a JSON string.
func (n name) MarshalJSON() ([]byte, error) { //nolint:unparam // json.Marshaler
	return appendJSON(nil, routing.Escape(string(n))), nil
}

// prose is a sentence that may hold names; bytes that are not UTF-8 are written as \xNN.
type prose string

// MarshalJSON writes a JSON string.
func (p prose) MarshalJSON() ([]byte, error) { //nolint:unparam // json.Marshaler
	return appendJSON(nil, routing.EscapeInvalid(string(p))), nil
}

// stamp is a time in UTC with milliseconds; the zero value is no time, written as an empty string.
type stamp time.Time

// IsZero tells encoding/json what to leave out.
func (s stamp) IsZero() bool { return time.Time(s).IsZero() }

// MarshalJSON writes RFC 3339.
func (s stamp) MarshalJSON() ([]byte, error) {
	if s.IsZero() {
		return []byte(`""`), nil
	}
	return json.Marshal(time.Time(s).UTC().Format("2006-01-02T15:04:05.000Z07:00"))
}

// number is written with six significant digits; what is not finite is written as 0.
type number float64

// MarshalJSON never writes NaN or an infinity, which JSON does not have.
func (n number) MarshalJSON() ([]byte, error) {
	f := float64(n)
	if math.IsNaN(f) || math.IsInf(f, 0) || f == 0 {
		return []byte("0"), nil
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', 5, 64), 64)
	if err != nil {
		return nil, err
	}
	return json.Marshal(rounded)
}
