package record

import (
	"strings"
	"testing"
)

// TestWordCache: whatever was asked before and whatever lies behind a word in memory, a word has its own meaning.
func TestWordCache(t *testing.T) {
	var cache wordCache[string]
	line := []byte("abcdefghijklmnopqrstuvwxyz" + strings.Repeat("ab", 20) + strings.Repeat("x", 20))
	known := 0
	for round := range 3 {
		for start := range line {
			for length := range min(20, len(line)-start) {
				word := line[start : start+length]
				if (start+round)%2 == 0 {
					word = word[:length:length]
				}
				means, was := cache.at(word)
				if !was {
					*means = string(word)
				} else {
					known++
				}
				if *means != string(word) {
					t.Fatalf("%q means %q", word, *means)
				}
			}
		}
	}
	if _, was := cache.at([]byte("GET_LEASE")); was || known == 0 {
		t.Errorf("a new word is known: %v; %d words were", was, known)
	}
	*first(cache.at([]byte("GET_LEASE"))) = "read"
	if means, was := cache.at([]byte("GET_LEASE")); !was || *means != "read" {
		t.Errorf("GET_LEASE is known: %v", was)
	}
}

// first returns the first of two.
func first[T, U any](one T, _ U) T { return one }
