package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// BenchmarkReplay judges twenty minutes of a log of 1,000 records a second, Zipf 1.1 over 100,000 keys of 1,000 tenants,
// through the whole command. The metric is ns a record: a day has 86.4 million of them.
func BenchmarkReplay(b *testing.B) {
	const records = 1_200_000
	path := filepath.Join(b.TempDir(), "zipf.csv")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriter(f)
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 1, 100_000)
	fmt.Fprintln(w, "ts_ms,tenant,key,op,weight,rate")
	for i := range records {
		key, op := zipf.Uint64(), "GET"
		if r.IntN(5) == 0 {
			op = "SET"
		}
		fmt.Fprintf(w, "%d,tenant-%d,user:%d:profile,%s,1,0.01\n", 1_700_000_000_000+i, key%1000, key, op)
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
	for _, args := range []string{"--place key", "--place tenant", "--place tenant,key", "--whole"} {
		b.Run(strings.ReplaceAll(args, " ", "="), func(b *testing.B) {
			for b.Loop() {
				line := append([]string{"replay", "--shards", "16", "--output", "json"}, append(strings.Fields(args), path)...)
				if err := run(b.Context(), line, strings.NewReader(""), io.Discard, io.Discard); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/records, "ns/record")
		})
	}
}
