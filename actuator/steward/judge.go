package steward

import (
	"context"
	"time"

	"firebreak/internal/words"

	"go.uber.org/zap"
)

// judgeEvery is how often it is made sure that a fleet is judged by the document that is stored: the log that says so may be made anew.
const judgeEvery = 10 * time.Second

// judgeBy makes the document that clients route by the one that every instance judges by. Where that fails, it is tried again in the next
// round: no change waits for it, and until then the disagreement with the log shows.
func (s *Steward) judgeBy(ctx context.Context) {
	if s.foreign || s.judged == s.state.At() && s.now().Sub(s.saidAt) < judgeEvery {
		return
	}
	if err := s.cfg.Judge(ctx, s.state.Document); err != nil {
		if ctx.Err() == nil && s.unjudged.Say() {
			s.cfg.Log.Warn("the routing of a fleet is not yet what verdicts go by", s.named(), zap.Error(words.OneLine(err)))
		}
		return
	}
	s.judged, s.saidAt = s.state.At(), s.now()
}
