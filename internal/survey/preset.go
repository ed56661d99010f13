package survey

import (
	"slices"

	"firebreak/pipeline/record"
)

// preset is what a preset of package record maps: for each role the paths that it takes, the first that is there.
type preset struct {
	name    string
	formats []string
	paths   [roles][]string
	marks   []string // members that give it away
	least   int      // of these must be there
	time    record.TimeConfig
	dash    bool // "-" is no value
}

// presets lists the presets of package record. A test holds the paths against the decoder.
func presets() []preset {
	canonical := preset{
		name: "canonical", formats: []string{formatCSV, formatTSV, formatJSON, formatLogfmt},
		marks: []string{"ts_ms", "key", "tenant", "weight", "op"}, least: 4, time: record.TimeConfig{Unit: "ms"},
	}
	for r, path := range []string{"ts_ms", "tenant", "key", "op", "weight", "rate", "shard", "caller", "bytes", "latency_us", "status"} {
		canonical.paths[r] = []string{path}
	}
	return []preset{
		canonical,
		{
			name: "combined", formats: []string{formatCombined}, time: record.TimeConfig{Layout: "clf"},
			paths: [roles][]string{
				roleTime: {"time"}, roleTenant: {"host"}, roleKey: {"path"}, roleOp: {"method"}, roleBytes: {"bytes"}, roleStatus: {"status"},
			},
		},
		{
			name: "envoy-json", formats: []string{formatJSON}, time: record.TimeConfig{Layout: "RFC3339"}, dash: true,
			marks: []string{"start_time", "response_code", "downstream_remote_address", "upstream_host", "bytes_sent", "x-envoy-origin-path", "upstream_cluster"}, least: 3,
			paths: [roles][]string{
				roleTime: {"start_time"}, roleTenant: {"downstream_remote_address"}, roleKey: {"path", "x-envoy-origin-path", ":path"},
				roleOp: {"method", ":method"}, roleBytes: {"bytes_sent"}, roleLatency: {"duration"}, roleStatus: {"response_code"},
			},
		},
		{
			name: "nginx-json", formats: []string{formatJSON}, time: record.TimeConfig{Layout: "RFC3339"}, dash: true,
			marks: []string{"time_iso8601", "request_uri", "request_method", "remote_addr", "request_time", "body_bytes_sent", "http_user_agent"}, least: 3,
			paths: [roles][]string{
				roleTime: {"time_iso8601", "@timestamp", "timestamp", "time"}, roleTenant: {"remote_addr", "remote_ip", "client_ip", "client"},
				roleKey: {"request_uri", "uri", "path", "url"}, roleOp: {"request_method", "method"},
				roleBytes: {"bytes_sent", "body_bytes_sent", "bytes"}, roleLatency: {"request_time"}, roleStatus: {"status"},
			},
		},
	}
}

// fits says whether a log has what gives the preset away, and a key or a tenant of it.
func (p *preset) fits(f *form, columns []*column) bool {
	if !slices.Contains(p.formats, f.format) || f.noHeader {
		return false
	}
	has := func(path string) bool {
		return slices.ContainsFunc(columns, func(c *column) bool { return c.path == path && c.present > 0 })
	}
	marks := 0
	for _, m := range p.marks {
		if has(m) {
			marks++
		}
	}
	return marks >= p.least && (slices.ContainsFunc(p.paths[roleKey], has) || slices.ContainsFunc(p.paths[roleTenant], has))
}

// adopt gives the preset's columns to their roles. A time that is no time is left to be found.
func (c *chooser) adopt(p *preset) {
	for r := range role(roles) {
		var found []*column
		for _, path := range p.paths[r] {
			for _, column := range c.columns {
				if column.path == path && column.present > 0 {
					found = append(found, column)
				}
			}
		}
		if len(found) == 0 || r == roleTime && !c.isMoment(found[0]) {
			continue
		}
		c.take(r, &choice{column: found[0], or: found[1:], score: 100, preset: true})
	}
}

func (c *chooser) isMoment(column *column) bool {
	m := c.moments[column]
	return m.ok(column)
}
