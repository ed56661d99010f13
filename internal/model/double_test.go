package model

import "testing"

func TestDouble(t *testing.T) {
	const (
		lost   = "no acknowledged write is lost"
		missed = "a read sees every acknowledged write"
	)
	testProtocol(t, "Move of what is written twice", Double.Model, figures{78017, 511543, 26}, map[string]string{
		"LastVersionWins":       lost,
		"RefusesOlder":          lost,
		"Acknowledged":          lost,
		"AckAfterInFlight":      lost,
		"BothBeforeCompare":     lost,
		"CompareBeforeFlip":     lost,
		"ReadsAtOwner":          missed,
		"BothUntilAcknowledged": missed,
		"ReadStoreOnStart":      lost,
	})
}
