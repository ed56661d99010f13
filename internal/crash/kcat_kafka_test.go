//go:build kafka && linux

package crash

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os/exec"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/twmb/franz-go/pkg/kgo"
)

// TestLibrdkafka: what kcat writes with each codec, one in four partitions each, is counted.
func TestLibrdkafka(t *testing.T) {
	kcat, err := exec.LookPath("kcat")
	if err != nil {
		t.Fatalf("kcat is needed (Debian: apt-get install kcat): %v", err)
	}
	binary := buildBinary(t)
	codecs := []string{"gzip", "snappy", "lz4", "zstd"}
	g := newGroup(t, fleetConfig, len(codecs))
	tally, rows, rng := NewTally(time.Second), callers(t), rand.New(rand.NewPCG(5, 6))
	number := uint64(firstNumber)
	write := func(records int) {
		for n, codec := range codecs {
			var lines bytes.Buffer
			for range records {
				at := time.UnixMilli(time.Now().UnixMilli())
				lines.Write(message(at, number, rows[rng.IntN(len(rows))]))
				lines.WriteByte('\n')
				tally.Add(at, number)
				number++
			}
			cmd := exec.CommandContext(t.Context(), kcat, "-P", "-b", g.broker.Addr(), "-t", requestTopic, "-p", strconv.Itoa(n), "-X", "compression.codec="+codec, "-X", "linger.ms=200")
			cmd.Stdin = &lines
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("kcat with %s: %v\n%s", codec, err, out)
			}
		}
	}
	g.begin(binary, 1)
	for range 20 { // until its first whole pane has begun, and beyond
		write(500)
		time.Sleep(time.Second)
	}
	written := g.codecs()
	if diff := cmp.Diff(codecs, written); diff != "" {
		t.Errorf("codecs of the partitions (-want +got):\n%s", diff)
	}
	exact(t, "kcat", g, tally)
}

// codecs are the codecs of the partitions' batches, as read from the log.
func (g *group) codecs() (names []string) {
	g.t.Helper()
	client, err := kgo.NewClient(append(slices.Clone(g.opts), kgo.ConsumeTopics(requestTopic))...)
	if err != nil {
		g.t.Fatal(err)
	}
	defer client.Close()
	left := g.ends()
	found := map[int32]map[string]bool{}
	ctx, cancel := context.WithTimeout(g.t.Context(), time.Minute)
	defer cancel()
	for len(left) > 0 {
		fetches := client.PollFetches(ctx)
		if err := fetches.Err0(); err != nil {
			g.t.Fatal(err)
		}
		fetches.EachRecord(func(r *kgo.Record) {
			if found[r.Partition] == nil {
				found[r.Partition] = map[string]bool{}
			}
			if c := r.Attrs.CompressionType(); c != 0 { // batches too small to gain by it are sent as they are
				found[r.Partition][codecName(c)] = true
			}
			if r.Offset+1 >= left[r.Partition] {
				delete(left, r.Partition)
			}
		})
	}
	for _, p := range slices.Sorted(maps.Keys(found)) {
		for name := range found[p] {
			names = append(names, name)
		}
	}
	return names
}

// codecName is the name of a batch's codec.
func codecName(attribute uint8) string {
	all := [...]string{"none", "gzip", "snappy", "lz4", "zstd"}
	if int(attribute) >= len(all) {
		return fmt.Sprintf("invalid(%d)", attribute)
	}
	return all[attribute]
}
