package record

import "slices"

// Presets lists the names that Config.Preset takes.
func Presets() []string {
	return []string{presetCanonical, presetCombined, presetEnvoy, presetNginx}
}

const (
	presetCanonical = "canonical"
	presetCombined  = "combined"
	presetEnvoy     = "envoy-json"
	presetNginx     = "nginx-json"
)

// resolve returns the configuration with every zero value replaced by its preset's value or its default, also where the
// preset does not exist or does not read the format, which is an error.
func (c Config) resolve() (Config, error) {
	name := c.Preset
	if name == "" && c.Format == "" {
		name = presetCanonical
	}
	base, err := preset(name)
	if c.Format == "" {
		c.Format = base.Format
	}
	named := []string{formatJSON, formatCSV, formatTSV, formatLogfmt, formatConfluent}
	renamed := name == presetCanonical && slices.Contains(named, c.Format)
	known := ofMessages(c.Format) || slices.Contains(Formats(), c.Format)
	if base.Format != "" && c.Format != base.Format && !renamed && known {
		err = conflict("format", []string{"preset"}, "preset %s reads %s, not %s", name, base.Format, c.Format)
	}
	for i, f := range c.Fields.all() {
		if f.isZero() {
			*f = *base.Fields.all()[i]
		}
	}
	if c.Time == (TimeConfig{}) {
		c.Time = base.Time
	}
	if c.StripQuery == nil {
		c.StripQuery = base.StripQuery
	}
	if c.Absent == nil {
		c.Absent = base.Absent
	}
	if c.Throttled == nil {
		c.Throttled = []string{"429", "503"}
	}
	c.LatencyUnit = orDefault(c.LatencyUnit, orDefault(base.LatencyUnit, "us"))
	c.Rate = orDefault(c.Rate, 1)
	c.MaxLine = orDefault(c.MaxLine, defaultMaxLine)
	return c, err
}

// orDefault returns v, or otherwise where v is zero.
func orDefault[T comparable](v, otherwise T) T {
	var zero T
	if v == zero {
		return otherwise
	}
	return v
}

// preset returns the mapping of that name; the empty name has none.
//
// The tenant of the three access logs is the client's address, the only identity that they all carry; map tenant to
// a header, a path prefix or the host where one of these names the customer.
func preset(name string) (Config, error) {
	strip := true
	switch name {
	case "":
		return Config{}, nil
	case presetCanonical:
		return canonical(), nil
	case presetCombined:
		return Config{
			Format: formatCombined, StripQuery: &strip, Time: TimeConfig{Layout: "clf"},
			Fields: Fields{
				Time: Field{Path: "time"}, Tenant: Field{Path: "host"}, Key: Field{Path: "path"}, Op: Field{Path: "method"},
				Bytes: Field{Path: "bytes"}, Status: Field{Path: "status"},
			},
		}, nil
	case presetEnvoy:
		return envoy(&strip), nil
	case presetNginx:
		return nginx(&strip), nil
	default:
		return Config{}, oneOf("preset", name, Presets())
	}
}

// canonical is firebreak's own log: ts_ms,tenant,key,op,weight[,rate,shard,caller,bytes,latency_us,status].
func canonical() Config {
	return Config{
		Format: formatCSV, Time: TimeConfig{Unit: "ms"}, LatencyUnit: "us",
		Fields: Fields{
			Time: Field{Path: "ts_ms"}, Tenant: Field{Path: "tenant"}, Key: Field{Path: "key"}, Op: Field{Path: "op"},
			Count: Field{Path: "weight"}, Rate: Field{Path: "rate"}, Shard: Field{Path: "shard"}, Caller: Field{Path: "caller"},
			Bytes: Field{Path: "bytes"}, Latency: Field{Path: "latency_us"}, Status: Field{Path: "status"},
		},
	}
}

// envoy has the member names that Istio and Envoy Gateway write by default (Envoy itself has no default JSON form; the
// command operators behind the names are those of its default text format). duration is in milliseconds.
func envoy(strip *bool) Config {
	return Config{
		Format: formatJSON, StripQuery: strip, Absent: []string{"-"},
		Time: TimeConfig{Layout: "RFC3339"}, LatencyUnit: "ms",
		Fields: Fields{
			Time:    Field{Path: "start_time"},
			Tenant:  Field{Path: "downstream_remote_address", Regex: `(?s)^(\[[^\]]*\]|[^:\[]*|.*)(?::[0-9]+)?$`},
			Key:     Field{Path: "path", Or: []string{"x-envoy-origin-path", ":path"}},
			Op:      Field{Path: "method", Or: []string{":method"}},
			Bytes:   Field{Path: "bytes_sent"},
			Latency: Field{Path: "duration"},
			Status:  Field{Path: "response_code"},
		},
	}
}

// nginx has the names of nginx' own variables, as most published JSON log formats use them, and the commonest others.
// request_time is in seconds.
func nginx(strip *bool) Config {
	return Config{
		Format: formatJSON, StripQuery: strip, Absent: []string{"-"},
		Time: TimeConfig{Layout: "RFC3339"}, LatencyUnit: "s",
		Fields: Fields{
			Time:    Field{Path: "time_iso8601", Or: []string{"@timestamp", "timestamp", "time"}},
			Tenant:  Field{Path: "remote_addr", Or: []string{"remote_ip", "client_ip", "client"}},
			Key:     Field{Path: "request_uri", Or: []string{"uri", "path", "url"}},
			Op:      Field{Path: "request_method", Or: []string{"method"}},
			Bytes:   Field{Path: "bytes_sent", Or: []string{"body_bytes_sent", "bytes"}},
			Latency: Field{Path: "request_time"},
			Status:  Field{Path: "status"},
		},
	}
}
