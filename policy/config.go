package policy

import "time"

// Mode is how far firebreak may go by itself.
type Mode uint8

// The modes, the safe one first.
const (
	ModeObserve Mode = iota
	ModeApprove
	ModeAuto
)

func modes() []Mode { return []Mode{ModeObserve, ModeApprove, ModeAuto} }

// String returns the one spelling of m.
func (m Mode) String() string { return name([]string{"observe", "approve", "auto"}, int(m)) }

// MarshalText writes the one spelling of m.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (m *Mode) UnmarshalText(text []byte) error { return parse(m, "mode", text, modes()) }

// Capacity is what one shard can bear, in requests/s (or cost units/s). Total
// and the pair (Reads, Writes) exclude each other; all zero = not known.
type Capacity struct {
	Total  float64 `yaml:"total"`
	Reads  float64 `yaml:"reads"`
	Writes float64 `yaml:"writes"`
}

// Lines are the thresholds as fractions, see design table "number | default".
type Lines struct {
	Warning  float64 `yaml:"warning"`  // of capacity
	Critical float64 `yaml:"critical"` // of capacity
	Relative float64 `yaml:"relative"` // of the mean, where no capacity is known
	Target   float64 `yaml:"target"`   // of capacity: what a fix must reach
}

// KeySpace declares what may be done to the keys that match it. Only declared
// keys are ever salted or cached.
type KeySpace struct {
	Prefix    string        `yaml:"prefix"`    // of the key
	Tenant    string        `yaml:"tenant"`    // empty = any
	Merge     string        `yaml:"merge"`     // counter, append, set or max: pieces can be merged; empty = never salted
	Staleness time.Duration `yaml:"staleness"` // > 0: may be cached, values up to this old
}

// Window of days and hours in which operations may start.
type Window struct {
	Days []string `yaml:"days"` // mon .. sun; empty = every day
	From string   `yaml:"from"` // "22:00", in UTC
	To   string   `yaml:"to"`   // "04:00"; before From = over midnight
}

// Config is policy's part of a fleet's configuration. Default gives the values
// of the design; the zero value is not valid.
type Config struct {
	Capacity Capacity `yaml:"capacity"`
	Lines    Lines    `yaml:"lines"`

	FastPanes int           `yaml:"-"` // panes of the fast window
	LongPanes int           `yaml:"-"` // panes of the long window
	WarmPanes int           `yaml:"-"` // panes that must be there before anything fires; at least 1
	For       time.Duration `yaml:"for"`
	Resolve   time.Duration `yaml:"resolve"`
	Revise    time.Duration `yaml:"revise"`

	Coverage float64       `yaml:"coverage"`  // below it the verdict is unknown
	MaxLag   time.Duration `yaml:"max_lag"`   // beyond it the input is stale
	Disagree float64       `yaml:"disagree"`  // share of misrouted load above which projections are refused
	MinShare float64       `yaml:"-"`         // a contributor's least share of what remains without which the shard would be cool
	CoolDown time.Duration `yaml:"cool_down"` // of a shard after an operation
	Expiry   time.Duration `yaml:"approval_expires"`

	Approvers []string `yaml:"approvers"` // people whose approval counts; none = nobody may approve

	UndoDelay time.Duration `yaml:"undo_delay"` // of low demand before an undo is proposed
	Grace     time.Duration `yaml:"grace"`      // after an operation, before it is undone for low demand

	Mode         Mode         `yaml:"mode"`
	Modes        map[Fix]Mode `yaml:"modes"` // per fix, over Mode
	KeySpaces    []KeySpace   `yaml:"key_spaces"`
	Pinned       Pinned       `yaml:"pinned"`
	Windows      []Window     `yaml:"windows"` // empty = always
	PerHour      int          `yaml:"operations_per_hour"`
	AtOnce       int          `yaml:"operations_at_once"`
	MovedAtMost  float64      `yaml:"moved_at_most"` // share of the fleet's load one operation may move
	HealthLimits HealthLimits `yaml:"health"`
}

// Pinned names what no plan may touch.
type Pinned struct {
	Keys    []string `yaml:"keys"`
	Tenants []string `yaml:"tenants"`
	Shards  []string `yaml:"shards"`
}

// Default returns the defaults of the design.
func Default() Config {
	return Config{
		Lines:     Lines{Warning: 0.70, Critical: 0.80, Relative: 1.5, Target: 0.65},
		FastPanes: 6, LongPanes: 30, WarmPanes: 6,
		For: 30 * time.Second, Resolve: 2 * time.Minute, Revise: 5 * time.Minute,
		Coverage: 0.95, MaxLag: time.Minute, Disagree: 0.01, MinShare: 0.25,
		CoolDown: 15 * time.Minute, Expiry: 30 * time.Minute,
		UndoDelay: 24 * time.Hour, Grace: 24 * time.Hour,
		PerHour: 4, AtOnce: 2, MovedAtMost: 0.10,
		HealthLimits: DefaultHealthLimits(),
	}
}
