package model

import "testing"

func TestMove(t *testing.T) {
	const (
		back   = "epochs and versions never go back"
		owner  = "one shard serves a vshard, and it owns it"
		lost   = "no acknowledged write is lost"
		missed = "a read sees every acknowledged write"
	)
	testProtocol(t, "Move of a virtual shard", func(c Move) *Model[moving] { return c.Model(moveSize{attempts: 2, writes: 2}) }, figures{402252, 3198300, 48}, map[string]string{
		"EpochCondition":     back,
		"ReadBackLostReply":  lost,
		"OwnerRefuses":       lost,
		"FenceAcknowledged":  owner,
		"AckAfterInFlight":   lost,
		"ReadsFenced":        missed,
		"ReadStoreOnStart":   owner,
		"CaptureBeforeCopy":  lost,
		"CaptureAnew":        lost,
		"CopyBeforeFence":    lost,
		"DrainBeforeFlip":    lost,
		"ReverseCapture":     lost,
		"GraceBeforeCleanUp": lost,
		"StepOrder":          lost,
		"StepOnce":           lost,
	})
}
