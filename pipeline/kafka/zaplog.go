package kafka

import (
	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// NewLogger hands what clients log to zap, at most at the logger's own level. Warnings and errors with the same text of the same
// broker, group and topic are logged once in 30 s; the next one says in left_out how many were not. What is less is logged whole.
func NewLogger(log *zap.Logger) kgo.Logger { return zapLogger{log, newRepeats()} }

type zapLogger struct {
	log     *zap.Logger
	repeats *repeats
}

// Level is the most detailed level that the logger takes now.
func (z zapLogger) Level() kgo.LogLevel {
	core := z.log.Core()
	switch {
	case core.Enabled(zapcore.DebugLevel):
		return kgo.LogLevelDebug
	case core.Enabled(zapcore.InfoLevel):
		return kgo.LogLevelInfo
	case core.Enabled(zapcore.WarnLevel):
		return kgo.LogLevelWarn
	case core.Enabled(zapcore.ErrorLevel):
		return kgo.LogLevelError
	}
	return kgo.LogLevelNone
}

// Log writes one message; pairs are a text and any value each, a text without a value stands alone.
func (z zapLogger) Log(level kgo.LogLevel, message string, pairs ...any) {
	entry := z.log.Check(zapLevel(level), message)
	if entry == nil {
		return
	}
	fields := make([]zap.Field, 0, (len(pairs)+1)/2+1)
	if entry.Level >= zapcore.WarnLevel {
		leftOut, now := z.repeats.say(message, pairs)
		if !now {
			return
		}
		if leftOut > 0 {
			fields = append(fields, zap.Int("left_out", leftOut))
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			name = "value"
		}
		if i+1 == len(pairs) {
			fields = append(fields, zap.Bool(name, true))
			break
		}
		fields = append(fields, zap.Any(name, pairs[i+1]))
	}
	entry.Write(fields...)
}

// zapLevel is the level of zap for one of a client; what is no level is an error.
func zapLevel(level kgo.LogLevel) zapcore.Level {
	switch level {
	case kgo.LogLevelDebug:
		return zapcore.DebugLevel
	case kgo.LogLevelInfo:
		return zapcore.InfoLevel
	case kgo.LogLevelWarn:
		return zapcore.WarnLevel
	case kgo.LogLevelError, kgo.LogLevelNone:
	}
	return zapcore.ErrorLevel
}
