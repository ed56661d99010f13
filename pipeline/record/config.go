package record

import "errors"

// Config is the part of the configuration that says how a line becomes a record. The zero value reads the canonical
// CSV. Every field left at its zero value takes the preset's value, or the default named here.
type Config struct {
	// Format is json, csv, tsv, combined or logfmt. Messages may also have confluent, Avro, Protobuf or JSON behind the id
	// of a schema (see Decoder.Learn), and none: their value is not read, all fields are their key, headers and time.
	// Empty = the preset's.
	Format string `yaml:"format"`
	// Preset is one of Presets. Empty with an empty Format = canonical; empty with a Format = none, and Fields says all.
	// The canonical preset's names also serve json, tsv and logfmt: name that format beside it.
	Preset string `yaml:"preset"`
	// NoHeader says that a csv or tsv log starts with a record; Fields then hold column numbers from "1".
	NoHeader bool `yaml:"no_header"`
	// Header names the columns of a csv or tsv log that has no header line, such as a topic: "a,b,c", written as that
	// line would be. A line that equals it is skipped. Empty = the first line of a file names them.
	Header string `yaml:"header"`
	// Lines says that a message may hold several records, one a line. See Decoder.First.
	Lines bool `yaml:"lines"`
	// Fields says where each field of a record stands. A field named here replaces the preset's.
	Fields Fields `yaml:"fields"`
	// Match picks the fleet's records out of a shared log: all conditions must hold. Empty = every record.
	Match []Match `yaml:"match"`
	// Ops maps a line to read or write; the first rule that holds wins, then the built-in table of method words.
	Ops []OpRule `yaml:"ops"`
	// Rate is the sampling probability of records that carry none, in (0, 1]. 0 = 1, nothing was left out; YAML must not
	// say 0.
	Rate float64 `yaml:"rate"`
	// Time says how the time field is written. Needed where Fields.Time is set and the preset does not say.
	Time TimeConfig `yaml:"time"`
	// LatencyUnit is s, ms, us or ns. Empty = us.
	LatencyUnit string `yaml:"latency_unit"`
	// Throttled lists the values of the status field that mean "refused because of load", numbers or words.
	// Nil = 429 and 503.
	Throttled []string `yaml:"throttled"`
	// Absent lists the values that mean "no value", such as "-". An empty value always does.
	Absent []string `yaml:"absent"`
	// StripQuery cuts the key at its first question mark. Nil = the preset's, else false.
	StripQuery *bool `yaml:"strip_query"`
	// MaxLine is the longest line that is read, in bytes, 1 KiB to 64 MiB. 0 = 1 MiB.
	MaxLine int `yaml:"max_line"`
}

// UnmarshalYAML reads a Config. A rate of 0 that the file says is a *ConfigError: there it does not mean "not given".
func (c *Config) UnmarshalYAML(unmarshal func(any) error) error {
	type plain Config
	if c.Rate == 0 {
		c.Rate = Default().Rate
	}
	err := unmarshal((*plain)(c))
	if c.Rate == 0 {
		c.Rate = Default().Rate
		err = errors.Join(err, configError("rate", "0 is not a probability in (0, 1]: leave it out where nothing was left out of the log"))
	}
	return err
}

// Fields names the place of each field; a zero Field is one that the log does not have.
type Fields struct {
	Time    Field `yaml:"time"`
	Tenant  Field `yaml:"tenant"`
	Key     Field `yaml:"key"`
	Op      Field `yaml:"op"`
	Count   Field `yaml:"count"`
	Rate    Field `yaml:"rate"`
	Shard   Field `yaml:"shard"`
	Caller  Field `yaml:"caller"`
	Bytes   Field `yaml:"bytes"`
	Latency Field `yaml:"latency"`
	Status  Field `yaml:"status"`
}

// all returns the fields in a fixed order, with the names they have in YAML in fieldNames.
func (f *Fields) all() [fields]*Field {
	return [...]*Field{
		fieldTime: &f.Time, fieldTenant: &f.Tenant, fieldKey: &f.Key, fieldOp: &f.Op, fieldCount: &f.Count,
		fieldRate: &f.Rate, fieldShard: &f.Shard, fieldCaller: &f.Caller, fieldBytes: &f.Bytes,
		fieldLatency: &f.Latency, fieldStatus: &f.Status,
	}
}

// Field is a place in a line. In YAML a plain string is its Path.
//
// Paths by format: json, confluent: member names joined by dots, "a.b.c"; a dot or a backslash inside a name is written
// "\." or "\\". csv, tsv: the column's name, or its number with no_header. logfmt: the name. combined: host, ident, user,
// time, request, method, path, protocol, status, bytes, referer, agent, extra1 to extra9 (what follows the agent).
//
// With any format "@key", "@header.NAME" and "@time" are parts of a Kafka message beside its value; a file has none of
// them. As the time field "@time" needs no TimeConfig; elsewhere it is decimal Unix milliseconds. What has such a name
// in the value is written with a backslash in front, "\@key".
type Field struct {
	Path string `yaml:"path"`
	// Or lists further paths for logs whose writers do not agree; the first that is present gives the value.
	Or []string `yaml:"or"`
	// Regex, if set, takes its first group as the value (Go syntax, unanchored); without a match the field is absent.
	Regex string `yaml:"regex"`
}

// UnmarshalYAML reads a Field from a plain string (its path) or from a mapping.
func (f *Field) UnmarshalYAML(unmarshal func(any) error) error {
	var path string
	if unmarshal(&path) == nil {
		*f = Field{Path: path}
		return nil
	}
	type plain Field
	return unmarshal((*plain)(f))
}

// Match is one condition on the value at a path; exactly one of Equals, In and Regex is set. An absent value never
// matches.
type Match struct {
	Field  string   `yaml:"field"`
	Equals string   `yaml:"equals"`
	In     []string `yaml:"in"`
	Regex  string   `yaml:"regex"` // Go syntax, unanchored
}

// OpRule maps records to an Op. Exactly one of Value and Pattern is set.
type OpRule struct {
	// On is the field of the record that is looked at: op (if empty), key, tenant, shard or caller.
	On      string `yaml:"on"`
	Value   string `yaml:"value"`   // equal, byte by byte
	Pattern string `yaml:"pattern"` // Go regular expression, unanchored
	// Op is read, write or unknown.
	Op string `yaml:"op"`
}

// TimeConfig says how the time field is written: a number (Unit) or a text (Layout), exactly one of them.
type TimeConfig struct {
	// Unit is s, ms, us or ns since the Unix epoch; fractions are allowed (1712.345 s).
	Unit string `yaml:"unit"`
	// Layout is RFC3339, clf (17/May/2015:10:05:03 +0000) or a Go reference layout (2006-01-02 15:04:05).
	Layout string `yaml:"layout"`
	// Zone is the IANA name of the zone of a layout that carries none. Empty = UTC.
	Zone string `yaml:"zone"`
}

// Default returns the configuration of a log about which nothing is known: the canonical CSV, nothing left out.
func Default() Config {
	return Config{Rate: 1, MaxLine: defaultMaxLine}
}

// defaultMaxLine is 1 MiB, the largest record that a Kafka broker takes by default (message.max.bytes).
const defaultMaxLine = 1 << 20
