package words

import (
	"fmt"
	"time"

	"firebreak/internal/line"
)

// Accepted says that a person accepted a hotspot, as the end of a sentence: accepted by ann until ...: why. The reason may hold any bytes.
func Accepted(by Name, until time.Time, reason string) Phrase {
	return Say("accepted by ", by, " until ", Clock(until), ": ", Ended(reason))
}

// Dismissed says that a person called a hotspot a false alarm, as Accepted does.
func Dismissed(by Name, reason string) Phrase {
	return Say("dismissed as a false alarm by ", by, ": ", Ended(reason))
}

// Again says why a hotspot that was accepted is told again, as the end of a sentence: its load is that much and was so much when it
// was accepted, or, where why is until, its time is over.
func Again(why string, load, was line.Number) Phrase {
	if why == "until" {
		return Say("told again, because the time that it was accepted for is over.")
	}
	return Say(fmt.Sprintf("told again, because its load is %s and was %s when it was accepted.", Rate(float64(load)), Rate(float64(was))))
}
