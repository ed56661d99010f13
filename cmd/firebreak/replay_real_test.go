package main

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// truth is what is known of a real log.
type truth struct {
	Events             float64        `json:"events"`
	Weight             float64        `json:"weight"`
	DistinctKeys       float64        `json:"distinct_keys"`
	DistinctTenantKeys float64        `json:"distinct_tenant_keys"`
	DistinctTenants    float64        `json:"distinct_tenants"`
	TopKeys            []ranked       `json:"top_keys"`
	TopTenants         []ranked       `json:"top_tenants"`
	TopTenantKeys      []rankedTenant `json:"top_tenant_keys"`
}

type ranked struct {
	ID     string  `json:"id"`
	Weight float64 `json:"weight"`
}

type rankedTenant struct {
	ID     [2]string `json:"id"`
	Weight float64   `json:"weight"`
}

func readTruth(t *testing.T, path string) truth {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var tr truth
	if err := json.Unmarshal(data, &tr); err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestRealLogs: each real log is read in full, nothing refused, late or from the future, and as one window its counts are
// those that are known: distinct names, and the weights of the heaviest.
func TestRealLogs(t *testing.T) {
	data := sharedData(t)
	logs, err := filepath.Glob(filepath.Join(data, "norm", "*.csv.gz"))
	if err != nil || len(logs) < 9 {
		t.Fatalf("%d logs: %v", len(logs), err)
	}
	for _, log := range logs {
		base := strings.TrimSuffix(filepath.Base(log), ".csv.gz")
		t.Run(base, func(t *testing.T) {
			want := readTruth(t, filepath.Join(data, "truth", base+".json"))
			for _, args := range [][]string{{"--shards", "16"}, {"--whole"}, {"--whole", "--place", "tenant,key"}} {
				if testing.Short() && args[0] != "--whole" {
					continue // thousands of ticks
				}
				s := summaryOf(t, mustReplay(t, append(args, log)...))
				if len(s["refused"].(map[string]any)) > 0 || s["late"] != 0.0 || s["future"] != 0.0 || s["counted"] != want.Events || s["requests"] != want.Weight {
					t.Errorf("%v: refused %v, late %v, future %v, counted %v of %v, requests %v of %v", args, s["refused"], s["late"], s["future"],
						s["counted"], want.Events, s["requests"], want.Weight)
				}
				if args[0] != "--whole" {
					continue
				}
				checkBoard(t, s["window"].(map[string]any), want, len(args) > 1)
			}
		})
	}
}

// checkBoard compares a board of the whole log with the truth; byTenant says that the tenant is part of a key.
func checkBoard(t *testing.T, board map[string]any, want truth, byTenant bool) {
	t.Helper()
	keys := want.DistinctKeys
	weights := map[string]float64{}
	for _, k := range want.TopKeys {
		weights[k.ID] = k.Weight
	}
	if byTenant {
		keys = want.DistinctTenantKeys
		weights = map[string]float64{}
		for _, k := range want.TopTenantKeys {
			weights[k.ID[1]+" of "+k.ID[0]] = k.Weight
		}
	}
	if !near(board["distinct_keys"], keys) || !near(board["distinct_tenants"], want.DistinctTenants) {
		t.Errorf("%v keys and %v tenants, want %v and %v", board["distinct_keys"], board["distinct_tenants"], keys, want.DistinctTenants)
	}
	for i, entry := range board["top_keys"].([]any) {
		e := entry.(map[string]any)
		id := e["key"].(string)
		if byTenant {
			id += " of " + e["tenant"].(string)
		}
		if got, known := weights[id]; known && !bounds(e, got) {
			t.Errorf("key %s has %v (%v to %v), want %v", id, e["load"], e["low"], e["high"], got)
		} else if !known && i < len(weights) && e["low"].(float64) > want.least(byTenant) {
			t.Errorf("key %s has %v and is none of the heaviest", id, e["load"])
		}
	}
	for i, entry := range board["top_tenants"].([]any) {
		if e := entry.(map[string]any); i < len(want.TopTenants) && !bounds(e, want.TopTenants[i].Weight) {
			t.Errorf("tenant %d has %v (%v to %v), want %v", i, e["load"], e["low"], e["high"], want.TopTenants[i].Weight)
		}
	}
}

// near: distinct names are estimates with a standard error of 1.6 %.
func near(got any, want float64) bool { return math.Abs(got.(float64)-want) <= max(2, 0.05*want) }

// bounds: the truth lies within the bounds of an entry, and the estimate is within a tenth of it or three.
func bounds(e map[string]any, truth float64) bool {
	low, high := e["low"].(float64), e["high"].(float64)
	return low <= truth && truth <= high && math.Abs(e["load"].(float64)-truth) <= max(3, truth/10)
}

// least is the weight of the last key that the truth lists: equals of it may stand in its place.
func (tr truth) least(byTenant bool) float64 {
	if byTenant {
		return tr.TopTenantKeys[len(tr.TopTenantKeys)-1].Weight
	}
	return tr.TopKeys[len(tr.TopKeys)-1].Weight
}

// TestRealCombinedLog: the native form of the same log is found and read in full, in disorder as it is.
func TestRealCombinedLog(t *testing.T) {
	data := sharedData(t)
	want := readTruth(t, filepath.Join(data, "truth", "apache-access.json"))
	s := summaryOf(t, mustReplay(t, filepath.Join(data, "apache-access-combined.log.gz")))
	if len(s["refused"].(map[string]any)) > 0 || s["late"] != 0.0 || s["future"] != 0.0 || s["counted"] != want.Events {
		t.Errorf("refused %v, late %v, future %v, counted %v of %v", s["refused"], s["late"], s["future"], s["counted"], want.Events)
	}
	if board := s["window"].(map[string]any); !near(board["distinct_keys"], want.DistinctKeys) {
		t.Errorf("%v keys, want %v", board["distinct_keys"], want.DistinctKeys)
	}
}

// TestRealNativeColumns: a log with columns of its own is not read as if it had none: what is not read is named.
func TestRealNativeColumns(t *testing.T) {
	data := sharedData(t)
	s := summaryOf(t, mustReplay(t, filepath.Join(data, "meta-kv_traces_1.csv")))
	if got := text(s["findings"]); !strings.Contains(got, "op_count") || !strings.Contains(got, "usecase") {
		t.Errorf("findings %q do not name the columns that were not read", got)
	}
}
