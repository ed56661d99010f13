package config

import (
	"fmt"
	"strings"
	"time"
)

// Start is where a group that has counted nothing yet begins. The zero value is the newest records.
type Start struct {
	Back time.Duration // how far before now, to warm up; 0 = newest
}

// UnmarshalText reads "newest", or how far back: "-10m".
func (s *Start) UnmarshalText(text []byte) error {
	if string(text) == "newest" {
		*s = Start{}
		return nil
	}
	back, isBack := strings.CutPrefix(string(text), "-")
	d, err := time.ParseDuration(back)
	switch {
	case err != nil:
		return fmt.Errorf("%q: want newest, or how far back, such as -10m", text)
	case !isBack:
		return fmt.Errorf("%q: want newest, or how far back: -%s", text, back)
	case d < 0 || d > maxBack:
		return fmt.Errorf("%q: want at most -%v", text, maxBack)
	}
	*s = Start{Back: d}
	return nil
}

// maxBack bounds a warm-up: a week.
const maxBack = 7 * 24 * time.Hour

// MarshalText writes what UnmarshalText reads.
func (s Start) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// String is the text of the file.
func (s Start) String() string {
	if s.Back == 0 {
		return "newest"
	}
	return "-" + s.Back.String()
}

// Protocol is that of a consumer group. The zero value is classic.
type Protocol uint8

// The protocols.
const (
	Classic  Protocol = iota // members carry their session time-out; brokers bound zombies by it
	Consumer                 // KIP-848, on brokers of 4.3 and later; the session time-out is the broker's
)

// LogLevel is how much is logged. The zero value is info.
type LogLevel uint8

// The levels.
const (
	LevelInfo LogLevel = iota
	LevelDebug
	LevelWarn
	LevelError
)

// LogFormat is how lines of the log look. The zero value is json.
type LogFormat uint8

// The formats.
const (
	FormatJSON LogFormat = iota
	FormatText
)

func protocolWords() []string  { return []string{"classic", "consumer"} }
func logLevelWords() []string  { return []string{"info", "debug", "warn", "error"} }
func logFormatWords() []string { return []string{"json", "text"} }

// String is the word of the file.
func (p Protocol) String() string { return word("protocol", int(p), protocolWords()) }

// MarshalText is String; unknown numbers are an error.
func (p Protocol) MarshalText() ([]byte, error) { return written(int(p), p.String(), protocolWords()) }

// UnmarshalText reads what String writes.
func (p *Protocol) UnmarshalText(text []byte) error {
	i, err := indexOf("protocol", text, protocolWords())
	*p = Protocol(i)
	return err
}

// String is the word of the file.
func (l LogLevel) String() string { return word("level", int(l), logLevelWords()) }

// MarshalText is String; unknown numbers are an error.
func (l LogLevel) MarshalText() ([]byte, error) { return written(int(l), l.String(), logLevelWords()) }

// UnmarshalText reads what String writes.
func (l *LogLevel) UnmarshalText(text []byte) error {
	i, err := indexOf("level", text, logLevelWords())
	*l = LogLevel(i)
	return err
}

// String is the word of the file.
func (f LogFormat) String() string { return word("format", int(f), logFormatWords()) }

// MarshalText is String; unknown numbers are an error.
func (f LogFormat) MarshalText() ([]byte, error) {
	return written(int(f), f.String(), logFormatWords())
}

// UnmarshalText reads what String writes.
func (f *LogFormat) UnmarshalText(text []byte) error {
	i, err := indexOf("format", text, logFormatWords())
	*f = LogFormat(i)
	return err
}

// word is the word of a number of a closed set.
func word(kind string, i int, words []string) string {
	if i < len(words) {
		return words[i]
	}
	return fmt.Sprintf("%s(%d)", kind, i)
}

// written is the word of a number, if it has one.
func written(i int, text string, words []string) ([]byte, error) {
	if i >= len(words) {
		return nil, fmt.Errorf("%s is none of the known ones", text)
	}
	return []byte(text), nil
}

// indexOf is the number of a word.
func indexOf(kind string, text []byte, words []string) (uint8, error) {
	for i, known := range words {
		if known == string(text) {
			return uint8(i), nil
		}
	}
	last := len(words) - 1
	return 0, fmt.Errorf("%s %q: want %s or %s", kind, text, strings.Join(words[:last], ", "), words[last])
}
