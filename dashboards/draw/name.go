package draw

import (
	"firebreak/internal/words"
)

// Lengths to which names and sentences are cut, in characters.
const (
	MaxName   = words.MaxName   // a key, tenant, shard or file
	MaxLabel  = 20              // the same in a figure
	MaxPhrase = words.MaxPhrase // a sentence
)

// Name writes a name, which is bytes, for people, see words.Show.
func Name(s string, most int) string { return words.Show(s, most) }

// Prose writes a sentence of another package that may hold names, see words.Flat.
func Prose(s string, most int) string { return words.Flat(s, most) }

// Cut shortens text to about most characters by leaving out its middle, visibly.
func Cut(text string, most int) string { return words.Cut(text, most) }

// wide is how many columns of a fixed-width font a text takes, at least.
func wide(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r >= 0x1100 {
			n++
		}
	}
	return n
}

// Label is a name that fits the margin of a figure.
func Label(s string) string {
	text := Name(s, MaxLabel)
	for most := MaxLabel; wide(text) > MaxLabel+2 && most > 10; most -= 2 {
		text = Name(s, most)
	}
	return text
}
