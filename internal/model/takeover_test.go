package model

import "testing"

func TestTakeover(t *testing.T) {
	testProtocol(t, "Change of deciders", Takeover.Model, figures{467378, 1417326, 37}, map[string]string{
		"EpochCondition":     "epochs and versions never go back",
		"ReadBackLostReply":  "a request is answered",
		"SameWriteAgain":     "a request is answered",
		"OwnTenure":          "one decider holds an epoch",
		"OutboxInSameWrite":  "what is done is told",
		"DrainAfterJournal":  "what is done is told",
		"AnswerBeforeDrop":   "a request is answered",
		"AnswerUntilDropped": "a request is answered once",
		"ListAnew":           "a request is answered once",
	})
}

func TestPolling(t *testing.T) {
	testProtocol(t, "A client's polls", Polling.Model, figures{24746, 82660, 27}, map[string]string{
		"HeadAfterDocument": "the head never leads",
		"NewerOnly":         "a client never goes back",
		"AtLeastHead":       "a client holds what the head named",
	})
}
