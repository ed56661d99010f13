package model

import "testing"

func TestSaltUp(t *testing.T) {
	const missed = "a read sees every piece or says that it is stale"
	testProtocol(t, "Salt up", SaltUp.Model, figures{808529, 4783783, 27}, map[string]string{
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

func TestSaltDown(t *testing.T) {
	const (
		refused  = "who writes by the newest table is not refused"
		once     = "the newest table reads every acknowledged write once"
		readOnce = "a read has every acknowledged write once"
	)
	testProtocol(t, "Salt down", SaltDown.Model, figures{947980, 5118946, 29}, map[string]string{
		"EpochCondition":      "epochs and versions never go back",
		"ReadBackLostReply":   refused,
		"WritersFirst":        refused,
		"IntentFirst":         refused,
		"TombstoneCondition":  once,
		"FreezeBeforeFold":    once,
		"FoldNamesPiece":      once,
		"FoldOnce":            once,
		"TombstoneKeepsValue": readOnce,
		"ReadersLeaveOut":     once,
		"ReadersLast":         once,
		"NeverReused":         refused,
	})
}
