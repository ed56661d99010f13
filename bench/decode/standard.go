package decode

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"regexp"
	"time"
)

// standard returns what a program would use that has only the standard library.
func standard() []Contender {
	unmarshal := ByLine(func(line []byte, r *Row) error { return json.Unmarshal(line, r) })
	return []Contender{
		{Format: "json", Name: "encoding/json", Open: unmarshal},
		{Format: "json-mixed", Name: "encoding/json", Open: unmarshal},
		{Format: "json-shuffled", Name: "encoding/json", Open: unmarshal},
		{Format: "csv", Name: "encoding/csv", Open: openCSV(false)},
		{Format: "csv", Name: "encoding/csv, ReuseRecord", Open: openCSV(true)},
		{Format: "csv", Name: "encoding/csv, ReuseRecord, all of Decode", Open: openTextbook},
		{Format: "csv-values", Name: "encoding/csv", Open: openValues},
		{Format: "logfmt", Name: "regexp", Open: ByLine(logfmt())},
		{Format: "combined", Name: "regexp", Open: ByLine(combined())},
	}
}

// column is a wanted column and what its value sets.
type column struct {
	index int
	set   func(r *Row, value string) error
}

// openCSV reads a file that has no end with encoding/csv and takes the columns by the names in its header.
func openCSV(reuse bool) func(c *Corpus) (func() (Sum, error), error) {
	return func(c *Corpus) (func() (Sum, error), error) {
		rows := csv.NewReader(&endless{text: c.Text, again: len(c.Header) + 1})
		rows.ReuseRecord = reuse
		header, err := rows.Read()
		if err != nil {
			return nil, err
		}
		wanted := wantedColumns(header)
		return func() (Sum, error) {
			var sum Sum
			for range c.Lines {
				fields, err := rows.Read()
				if err != nil {
					return Sum{}, err
				}
				if err := sum.addFields(wanted, fields); err != nil {
					return Sum{}, err
				}
			}
			return sum, nil
		}, nil
	}
}

// openValues reads rows that come one by one with encoding/csv, which reads streams: a reader for each.
func openValues(c *Corpus) (func() (Sum, error), error) {
	header, err := csv.NewReader(bytes.NewReader(c.Header)).Read()
	if err != nil {
		return nil, err
	}
	wanted := wantedColumns(header)
	return func() (Sum, error) {
		var sum Sum
		for _, line := range c.Lines {
			fields, err := csv.NewReader(bytes.NewReader(line)).Read()
			if err != nil {
				return Sum{}, err
			}
			if err := sum.addFields(wanted, fields); err != nil {
				return Sum{}, err
			}
		}
		return sum, nil
	}, nil
}

// wantedColumns finds the wanted columns in a header.
func wantedColumns(header []string) (wanted []column) {
	for i, name := range header {
		if set := setter(name); set != nil {
			wanted = append(wanted, column{i, set})
		}
	}
	return wanted
}

// addFields adds a row of CSV.
func (s *Sum) addFields(wanted []column, fields []string) error {
	var r Row
	for _, c := range wanted {
		if err := c.set(&r, fields[c.index]); err != nil {
			return err
		}
	}
	s.Add(&r)
	return nil
}

// logfmt reads pairs with a regular expression.
func logfmt() func(line []byte, r *Row) error {
	pair := regexp.MustCompile(`([^\s="]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s"]*))`)
	return func(line []byte, r *Row) error {
		for _, at := range pair.FindAllSubmatchIndex(line, -1) {
			from, to := at[6], at[7]
			if from < 0 {
				from, to = at[4], at[5]
			}
			if err := r.set(string(line[at[2]:at[3]]), string(line[from:to])); err != nil {
				return err
			}
		}
		return nil
	}
}

// combined reads an access log with the expression of the kind that manuals show: one group for each part.
func combined() func(line []byte, r *Row) error {
	shape := regexp.MustCompile(`^(\S+) (\S+) (\S+) \[([^\]]+)\] "(\S+) (\S+) (\S+)" (\d{3}) (\d+|-) "([^"]*)" "([^"]*)"$`)
	return func(line []byte, r *Row) error {
		at := shape.FindSubmatchIndex(line)
		if at == nil {
			return fmt.Errorf("no match: %.80q", line)
		}
		group := func(i int) string { return string(line[at[2*i]:at[2*i+1]]) }
		stamp, err := time.Parse("02/Jan/2006:15:04:05 -0700", group(4))
		if err != nil {
			return err
		}
		r.TS, r.Tenant, r.Op, r.Key, r.Weight = stamp.UnixMilli(), group(1), group(5), group(6), 1
		if err := r.set("status", group(8)); err != nil {
			return err
		}
		return r.set("bytes", group(9))
	}
}
