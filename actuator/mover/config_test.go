package mover_test

import (
	"strings"
	"testing"
	"time"

	"firebreak/actuator/mover"
	"firebreak/actuator/operation"
	"firebreak/internal/strictyaml"
)

// TestConfig: what a file may say, and who does what then.
func TestConfig(t *testing.T) {
	for name, c := range map[string]struct {
		yaml   string
		moving operation.Moving
		folds  bool
		wrong  string
	}{
		"nothing":         {"{}", operation.MovingUnsaid, false, ""},
		"none":            {"{moves: none}", operation.MovingRouting, false, ""},
		"a command":       {"{moves: {command: [mv, a]}, folds: {command: [fold], timeout: 3s}}", operation.MovingCarried, true, ""},
		"a webhook":       {"{moves: {webhook: {url: 'https://x/', secret: 0123456789abcdef}}}", operation.MovingCarried, false, ""},
		"versioned":       {"{moves: {command: [mv], writes: versioned}}", operation.MovingDoubled, false, ""},
		"other writes":    {"{moves: {command: [mv], writes: twice}}", 0, false, "moves.writes: \"twice\""},
		"writes of folds": {"{folds: {command: [mv], writes: versioned}}", 0, false, "folds.writes: is of moves"},
		"writes of none":  {"{moves: {writes: versioned}}", 0, false, "moves.writes: of what"},
		"another word":    {"{moves: some}", 0, false, "want none"},
		"none that folds": {"{folds: none}", 0, false, "folds: none"},
		"both":            {"{moves: {command: [a], webhook: {url: 'https://x/', secret: 0123456789abcdef}}}", 0, false, "moves.webhook: stands beside"},
		"no secret":       {"{moves: {webhook: {url: 'https://x/'}}}", 0, false, "moves.webhook.secret_file: missing"},
		"no program":      {"{moves: {command: ['']}}", 0, false, "moves.command"},
		"too short":       {"{moves: {command: [a], timeout: 1ms}}", 0, false, "moves.timeout"},
		"of nothing":      {"{moves: {timeout: 3s}}", 0, false, "moves.timeout"},
		"unknown":         {"{moves: {comand: [a]}}", 0, false, "comand"},
	} {
		t.Run(name, func(t *testing.T) {
			var cfg mover.Config
			err := strictyaml.Decode("f", []byte(c.yaml), &cfg)
			if err == nil {
				err = cfg.Validate()
			}
			if (err == nil) != (c.wrong == "") || err != nil && !strings.Contains(err.Error(), c.wrong) {
				t.Fatalf("%v, want %q", err, c.wrong)
			}
			if err != nil {
				return
			}
			m := cfg.Open(nil)
			if m.Moving() != c.moving || m.Can(operation.AskFold) != c.folds || m.Can(operation.AskCopy) != (c.moving == operation.MovingCarried || c.moving == operation.MovingDoubled) || m.Can(operation.AskProvision) || m.Can(operation.AskNothing) {
				t.Errorf("moving is %v, folds %v", m.Moving(), m.Can(operation.AskFold))
			}
		})
	}
	if mover.DefaultTimeout < time.Minute {
		t.Error("copies take their time")
	}
}
