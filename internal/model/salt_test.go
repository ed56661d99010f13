package model

import "testing"

func TestSaltUp(t *testing.T) {
	const missed = "a read sees every piece or says that it is stale"
	testProtocol(t, SaltUp.Model, figures{808529, 4783783, 27}, map[string]string{
		"EpochCondition":      "epochs and versions never go back",
		"ReadersFirst":        missed,
		"WaitForConfirmation": missed,
		"MinuteForOthers":     missed,
		"MinuteFromHead":      missed,
		"HeadForward":         missed,
		"SaysStale":           missed,
		"StaleAtAnswer":       missed,
		"ReadAgain":           missed,
	})
}
