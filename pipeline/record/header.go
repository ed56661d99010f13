package record

import (
	"errors"
	"slices"
	"strings"
)

// NeedsHeader tells whether the first line of every file goes to Header and not to Decode.
func (d *Decoder) NeedsHeader() bool { return d.csv != nil && d.csv.named && d.csv.given == nil }

// Header reads the first line of a csv or tsv file and finds the mapped columns in it, whatever their order. It is an
// error, which names what was found, if a mapped column or a matched one occurs twice, a matched one is missing, or
// none of key, tenant and shard is there. Every file has its own header. Other formats have none: nothing is done.
func (d *Decoder) Header(line []byte) error {
	if !d.NeedsHeader() {
		return nil
	}
	if len(line) > d.maxLine {
		return errors.New("header: the line is too long")
	}
	return d.header(trimEnd(line))
}

// columns takes the header that the configuration gives.
func (d *Decoder) columns(header string) error {
	if err := d.header([]byte(header)); err != nil {
		return configError("header", "%s", strings.TrimPrefix(err.Error(), "header: "))
	}
	d.csv.given = []byte(header)
	return nil
}

// header finds the mapped columns in a header.
func (d *Decoder) header(line []byte) error {
	if err := d.csv.header(line, d.paths); err != nil {
		return err
	}
	for i := range d.match {
		if slot := d.match[i].slot; !d.csv.has(slot) {
			return d.csv.errorf("no column %q, which match needs", d.paths[slot])
		}
	}
	for _, i := range []int{fieldKey, fieldTenant, fieldShard} {
		if slices.ContainsFunc(d.fields[i].slots, d.csv.has) {
			return nil
		}
	}
	d.csv.reset()
	return d.csv.errorf("no column for key, tenant or shard")
}

// Missing lists the mapped columns that the last header does not have, and nil where there is no header.
func (d *Decoder) Missing() []string {
	var missing []string
	if d.csv == nil || !d.csv.named {
		return nil
	}
	for slot, path := range d.paths {
		if !d.csv.has(slot) {
			missing = append(missing, path)
		}
	}
	return missing
}
