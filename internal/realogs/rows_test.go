package realogs

import (
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// row is one slice of a log, how it is replayed, and what README.md of the logs says about it. What it leaves to the
// placement is decided by brute force.
type row struct {
	name     string
	file     string // without .csv.gz
	by       string // key or tenant
	from, to string // RFC 3339; empty = open
	flags    []string
	window   time.Duration // the long one; 0 = the whole slice
	record   string        // YAML of the fleet's record part
	ops      opTable
	silent   bool    // nothing may fire
	object   string  // a key or tenant that makes its shard hot whatever the placement; empty = by brute force
	fix      string  // best for the object
	never    string  // a step that no plan may have for the object
	lists    bool    // every tenant over the target by itself must be listed among the contributors
	bursts   []burst // nothing else may fire
}

// burst is a tenant's real burst.
type burst struct {
	tenant   string
	from, to time.Time
}

// adserverRecord maps clicks to writes: they are logged as GET.
const adserverRecord = `    record:
      ops:
        - {on: key, value: /adclick.php, op: write}
`

func clicksAreWrites(r *request) string {
	if r.key == "/adclick.php" {
		return "write"
	}
	return builtinOps(r)
}

// seconds8 are the flags of logs that last a few seconds.
func seconds8() []string { return strings.Fields("--pane 1s --window 8s --for 2s --warmup 0s") }

const (
	window8       = 8 * time.Second
	windowDefault = 5 * time.Minute
	whale, hotKey = "whale_tenant", "hot_key"
)

// rows is the table of the logs' README.
func rows() []row {
	out := slices.Concat(wikiRows(), metaRows(), siteRows())
	for i := range out {
		if out[i].ops == nil {
			out[i].ops = builtinOps
		}
	}
	return out
}

func wikiRows() []row {
	account := row{
		name: "wiki by account 06:55", file: "wiki-edits-by-account", from: "2015-09-12T06:55:00Z", to: "2015-09-12T07:00:00Z",
		window: windowDefault,
	}
	wiki := row{
		name: "wiki by wiki 06:50", file: "wiki-edits-by-wiki", from: "2015-09-12T06:50:00Z", to: "2015-09-12T06:55:00Z",
		window: windowDefault,
	}
	return []row{
		account.placed("key").quiet(), account.placed("tenant").about("TuanUt-Bot!", "isolate"),
		wiki.placed("key").quiet(), wiki.placed("tenant").about("vi.wikipedia", "isolate"),
	}
}

func metaRows() []row {
	kv1 := row{name: "meta-kv-1", file: "meta-kv-1", flags: seconds8(), window: window8, never: "salt"}
	kv2 := row{name: "meta-kv-2", file: "meta-kv-2", flags: []string{"--whole"}}
	block := row{name: "meta-block-1", file: "meta-block-1", flags: seconds8(), window: window8}
	whales := block.placed("tenant").about("4235083322", "isolate")
	whales.lists = true
	return []row{
		kv1.placed("key").about("40e66a458581a103", "cache"), kv1.placed("tenant").about("40e66a458581a103", "cache"),
		kv2.placed("key").about("2748459421", "cache"), kv2.placed("tenant").about("2777918327", "isolate"),
		block.placed("key"), whales,
	}
}

func siteRows() []row {
	minute := row{
		name: "apache 08:05", file: "apache-access", from: "2015-05-18T08:05:00Z", to: "2015-05-18T08:06:00Z",
		flags: []string{"--warmup", "0s"}, window: windowDefault,
	}
	site := row{name: "apache 83 h", file: "apache-access", flags: []string{"--whole"}}
	ads := row{name: "adserver", file: "adserver-access", window: windowDefault}
	clicks := row{name: "adserver, clicks write", file: ads.file, window: windowDefault, record: adserverRecord, ops: clicksAreWrites}
	read, written := ads.placed("key").about("/adclick.php", "cache"), clicks.placed("key").about("/adclick.php", "salt")
	read.never, written.never = "salt", "cache"
	github := row{name: "github", file: "github-events", window: windowDefault}
	bursts := github.placed("tenant")
	bursts.bursts = githubBursts()
	return []row{
		minute.placed("key"), minute.placed("tenant").about("client-78c18114f587", "isolate"),
		site.placed("key"), site.placed("tenant"),
		read, written, ads.placed("tenant"),
		github.placed("key").quiet(), bursts,
	}
}

func (r row) placed(by string) row { r.by = by; return r }
func (r row) quiet() row           { r.silent = true; return r }

// about names the key or tenant that makes its shard hot whatever the placement, and its best fix.
func (r row) about(object, fix string) row { r.object, r.fix = object, fix; return r }

// githubBursts are an organisation with 65 of 404 events in 3 minutes, and a user with 21 to 23 events in 40 s, four times.
func githubBursts() []burst {
	at := func(clock string) time.Time {
		parsed, err := time.Parse(time.DateTime, "2015-01-01 "+clock)
		if err != nil {
			panic(err)
		}
		return parsed
	}
	return []burst{
		{"cloudify-cosmo", at("00:12:10"), at("00:14:50")},
		{"gyuho", at("01:44:00"), at("01:44:40")},
		{"gyuho", at("01:50:30"), at("01:51:10")},
		{"gyuho", at("01:56:20"), at("01:57:00")},
		{"gyuho", at("01:58:20"), at("01:59:10")},
	}
}

// names says whether a verdict names the row's object.
func (r *row) names(v *verdict) bool {
	return r.object != "" && (v.Cause == hotKey && v.Key == r.object || v.Cause == whale && v.Tenant == r.object)
}

// path is the row's canonical log under the shared folder.
func (r *row) path(dir string) string { return filepath.Join(dir, r.file+".csv.gz") }

// replayFlags are the flags with the cut.
func (r *row) replayFlags() []string {
	flags := append([]string(nil), r.flags...)
	if r.from != "" {
		flags = append(flags, "--from", r.from, "--to", r.to)
	}
	return flags
}

// fast is the fast window: six panes.
func (r *row) fast() time.Duration {
	if r.window == window8 {
		return 6 * time.Second
	}
	return min(r.window, time.Minute) // 0, a whole input, is one window
}
