package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/zeebo/xxh3"

	"firebreak/internal/words"
	"firebreak/pipeline/record"
	"firebreak/routing"
)

const (
	// maxShown is the longest name that a line for people shows whole, in characters.
	maxShown = 120
	// headShown is how much of a longer one it shows.
	headShown = 60
)

// shownName writes a key, tenant or other name for people, in quotes: what does not print, quotes, backslashes and bytes that are
// not UTF-8 are escaped as in a Go string, so strconv.Unquote gives the name back and no two names look the same. Of a very long
// one it shows the beginning and the 128-bit XXH3 of the whole; of one that was cut when it was read, that of the name as logged.
func shownName(s string) string {
	quoted := strconv.Quote(s)
	if utf8.RuneCountInString(quoted) <= maxShown {
		return quoted
	}
	mark := fmt.Sprintf("#xxh3=%x", xxh3.HashString128(s).Bytes())
	if hash := s[min(len(s), record.MaxKey):]; len(s) == record.MaxCut && strings.Trim(hash, "#xh=0123456789abcdef") == "" {
		mark = hash
	}
	head := 0
	for i, n := 0, 0; i < len(s) && n < headShown; n++ {
		_, size := utf8.DecodeRuneInString(s[i:])
		i += size
		head = i
	}
	return strconv.Quote(s[:head]) + "..." + mark
}

// printable writes what would not print, line breaks and terminal controls above all, as \u{hex}, and bytes that are not UTF-8 as \xNN.
func printable(s string) string { return words.Printable(routing.EscapeInvalid(s)) }
