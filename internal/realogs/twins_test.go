package realogs

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"hash/crc32"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the synthetic twins, and the tables of docs/real-logs.md, anew")

const twinDir = "../../testdata/twins"

// twinStart is the time of every twin's first pane, ms since 1970.
const twinStart = int64(1_700_000_000_000)

// twin draws the synthetic twin of one log. It has the shape that decides the answer (the counts of the heaviest keys and
// tenants, when they come, what they do) and made-up names.
type twin struct {
	file string // of the log
	draw func(r *rand.Rand) []request
}

func twins() []twin {
	return []twin{
		{"wiki-edits-by-account", twinAccounts},
		{"wiki-edits-by-wiki", twinWikis},
		{"meta-kv-1", twinLease},
		{"meta-kv-2", twinLateKey},
		{"meta-block-1", twinBlocks},
		{"apache-minute", twinCrawler},
		{"apache-access", twinSite},
		{"adserver-access", twinAds},
		{"github-events", twinEvents},
	}
}

// twinRows are the rows with the twins in place of the logs: a twin is the slice already.
func twinRows() []row {
	objects := map[string]string{
		"TuanUt-Bot!": "editor-0", "vi.wikipedia": "wiki-0", "40e66a458581a103": "lease", "2748459421": "late", "2777918327": "use-0",
		"4235083322": "user-0", "client-78c18114f587": "client-0", "/adclick.php": "/adclick.php",
	}
	var out []row
	for _, r := range rows() {
		r.object = objects[r.object]
		if r.name == "apache 08:05" {
			r.file = "apache-minute"
		}
		r.from, r.to = "", ""
		if len(r.bursts) > 0 {
			r.bursts = twinBursts()
		}
		out = append(out, r)
	}
	return out
}

// source is the twin's own random stream.
func (w *twin) source() *rand.Rand {
	return rand.New(rand.NewPCG(1, uint64(crc32.ChecksumIEEE([]byte(w.file)))))
}

// csv writes a log in canonical form, in order of time.
func (w *twin) csv() []byte {
	log := w.draw(w.source())
	slices.SortStableFunc(log, func(a, b request) int { return int(a.at - b.at) })
	var b bytes.Buffer
	b.WriteString("ts_ms,tenant,key,op,weight\n")
	for _, r := range log {
		fmt.Fprintf(&b, "%d,%s,%s,%s,%g\n", r.at, r.tenant, r.key, r.op, r.count)
	}
	return b.Bytes()
}

// TestTwinFiles holds the files against what draws them; -update writes them.
func TestTwinFiles(t *testing.T) {
	for _, w := range twins() {
		path := filepath.Join(twinDir, w.file+".csv.gz")
		want := w.csv()
		if *update {
			writeTwin(t, path, want)
		}
		file, err := os.ReadFile(filepath.Clean(path))
		if err != nil {
			t.Fatal(err)
		}
		if len(file) > 32<<10 {
			t.Errorf("%s: %d bytes, a twin is small", path, len(file))
		}
		unzip, err := gzip.NewReader(bytes.NewReader(file))
		if err != nil {
			t.Fatal(err)
		}
		var got bytes.Buffer
		if _, err := got.ReadFrom(unzip); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.String()); diff != "" {
			t.Errorf("%s is not what draws it (-update writes it): %.500s", path, diff)
		}
	}
}

func writeTwin(t *testing.T, path string, csv []byte) {
	t.Helper()
	var b bytes.Buffer
	zip, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := zip.Write(csv); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestTwins holds the contract of TestRealLogs on the twins.
func TestTwins(t *testing.T) { table(t, "twins", twinRows(), twinDir, mostHeldTwins) }

// TestTwinShapes holds each twin against its log where that is there: the shares that decide the answers agree within a
// fifth.
func TestTwinShapes(t *testing.T) {
	needShared(t)
	twinned := twinRows()
	for i, r := range rows() {
		logged := readLog(t, r.path(shared+"/norm"), r.from, r.to)
		made := readLog(t, twinned[i].path(twinDir), "", "")
		for _, p := range []func(*request) string{func(r *request) string { return r.key }, func(r *request) string { return r.tenant }} {
			want, got := topShare(logged, p), topShare(made, p)
			if want > 0.1 && (got < 0.8*want || got > 1.25*want) {
				t.Errorf("%s by %s: heaviest has %.3f of the twin, %.3f of the log", r.name, r.by, got, want)
			}
		}
	}
}

// topShare is the share of the heaviest key or tenant.
func topShare(log []request, name func(*request) string) float64 {
	loads := map[string]float64{}
	var total, top float64
	for i := range log {
		loads[name(&log[i])] += log[i].count
		total += log[i].count
		top = max(top, loads[name(&log[i])])
	}
	return top / total
}
