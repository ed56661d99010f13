package realogs

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"firebreak/routing"
)

var (
	long   = flag.Bool("long", false, "replay every row for 50 placements")
	binary = flag.String("binary", "", "judge this firebreak instead of building one")
)

// built is the folder that program made; empty if it was not needed.
var built string

// program is the command under test, built once.
var program = sync.OnceValues(func() (string, error) {
	if *binary != "" {
		return *binary, nil
	}
	dir, err := os.MkdirTemp("", "firebreak")
	if err != nil {
		return "", err
	}
	built = dir
	path := filepath.Join(dir, "firebreak")
	out, err := exec.CommandContext(context.Background(), "go", "build", "-o", path, "firebreak/cmd/firebreak").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	if built != "" {
		_ = os.RemoveAll(built)
	}
	os.Exit(code)
}

func itoa(n int) string { return strconv.Itoa(n) }

// said is what one replay printed, as far as it is judged.
type said struct {
	firing  []verdict // in order of time; a hotspot again for every change
	plans   []plan    // likewise; printed only when it is another one than before
	records float64   // of the summary
	refused map[string]float64
}

// plan is a plan line.
type plan struct {
	Hotspot    string
	Time       time.Time
	Steps      []step
	Projection struct{ Fix string }
}

// verdict is a verdict line.
type verdict struct {
	Phase        string
	Severity     string
	Hotspot      string
	Shard        string
	Cause        string
	Key          string
	Tenant       string
	Fix          string
	Reason       string
	Load, Mean   float64
	Imbalance    float64
	Time         time.Time
	Onset        time.Time
	Window       struct{ From, To time.Time }
	Contributors []struct{ Cause, Key, Tenant string }
}

// step is one step of a plan line.
type step struct {
	Kind, Key, Tenant string
	Moves             []move
	Suffixes          []uint32
	Shards            []string
	Rate              float64
}

// move gives a virtual shard to a shard.
type move struct {
	VShard routing.VShard
	To     string
}

// line is any line of the JSON output, as far as all have the same members.
type line struct {
	Type    string
	Records float64
	Refused map[string]float64
}

// shard is the number of the verdict's shard.
func (v *verdict) shard(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimPrefix(v.Shard, "shard-"))
	if err != nil {
		t.Fatalf("shard %q: %v", v.Shard, err)
	}
	return n
}

// run replays a file under a placement and reads what is printed. record is YAML of the fleet's record part, or empty.
func run(t *testing.T, p placement, record, path string, flags ...string) *said {
	t.Helper()
	command, err := program()
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"replay", "--output", "json"}, flags...)
	if p.salt == 0 && record == "" {
		args = append(args, "--place", p.by, "--shards", itoa(shards))
	} else {
		config := filepath.Join(t.TempDir(), "firebreak.yaml")
		text := fmt.Sprintf("fleets:\n  - name: slices\n    placement: {bytes: %q}\n    shards: %d\n%s", p.template(), shards, record)
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		args = append(args, "--config", config)
	}
	cmd := exec.CommandContext(t.Context(), command, append(args, path)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %v: %s", cmd.Args, err, stderr.Bytes())
	}
	return parse(t, out)
}

// parse reads the JSON lines.
func parse(t *testing.T, out []byte) *said {
	t.Helper()
	s := &said{}
	for text := range bytes.SplitSeq(bytes.TrimSpace(out), []byte("\n")) {
		var l line
		var v verdict
		var p plan
		err := json.Unmarshal(text, &l)
		switch l.Type {
		case "verdict":
			err = json.Unmarshal(text, &v)
			v.Key, v.Tenant = unescape(t, v.Key), unescape(t, v.Tenant)
			if v.Phase == "firing" {
				s.firing = append(s.firing, v)
			}
		case "plan":
			err = json.Unmarshal(text, &p)
			for i := range p.Steps {
				p.Steps[i].Key, p.Steps[i].Tenant = unescape(t, p.Steps[i].Key), unescape(t, p.Steps[i].Tenant)
			}
			s.plans = append(s.plans, p)
		case "summary":
			s.records, s.refused = l.Records, l.Refused
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
	}
	return s
}

// planOf is the plan in force for a verdict: the newest of its hotspot so far, if it is one for the same fix.
func (s *said) planOf(v *verdict) *plan {
	for i := len(s.plans) - 1; i >= 0; i-- {
		if p := &s.plans[i]; p.Hotspot == v.Hotspot && !p.Time.After(v.Time) {
			return p
		}
	}
	return nil
}

// verdictOf is the verdict that a plan was printed for: the newest of its hotspot so far.
func (s *said) verdictOf(p *plan) *verdict {
	for i := len(s.firing) - 1; i >= 0; i-- {
		if v := &s.firing[i]; v.Hotspot == p.Hotspot && !v.Time.After(p.Time) {
			return v
		}
	}
	return nil
}

func unescape(t *testing.T, text string) string {
	t.Helper()
	raw, err := routing.Unescape(text)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}
