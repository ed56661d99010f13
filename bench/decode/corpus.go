package decode

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// Row is what a record says: the nine wanted fields. Its tags name them in JSON and, as column names, in CSV and
// logfmt. The access log has no weight (1), no latency (0) and no shard.
type Row struct {
	TS      int64   `json:"ts_ms"` // Unix milliseconds
	Tenant  string  `json:"tenant"`
	Key     string  `json:"key"`
	Op      string  `json:"op"`
	Weight  float64 `json:"weight"`
	Shard   string  `json:"shard"`
	Bytes   float64 `json:"bytes"`
	Latency float64 `json:"latency_us"`
	Status  int     `json:"status"`
}

// other is what a record says beside that and nobody asks for.
type other struct {
	level, trace, ip, host, msg string
}

// Corpus is a generated log.
type Corpus struct {
	// Format is one of Formats.
	Format string
	// Header is the first line of a CSV log, nil otherwise; it ends without a line feed.
	Header []byte
	// Lines are the records, without line feeds.
	Lines [][]byte
	// Text is the whole file: the header and every line with its line feed.
	Text []byte
	// Rows says what each line holds.
	Rows []Row
}

// Formats lists the logs that there are. In json every record has the same members in the same order; in json-mixed
// it has one of eight orders and lacks a few unwanted members at random; in json-shuffled it has an order of its own.
// csv is a file, whose lines its reader has to find; csv-values are its rows one by one, as a Kafka topic holds them.
func Formats() []string {
	return []string{"json", "json-mixed", "json-shuffled", "csv", "csv-values", "logfmt", "combined"}
}

// isCSV tells the two forms of CSV.
func isCSV(format string) bool { return format == "csv" || format == "csv-values" }

// NewCorpus writes n records of a format; the same seed writes the same log.
func NewCorpus(format string, n int, seed uint64) (Corpus, error) {
	rng := rand.New(rand.NewPCG(seed, 0))
	write, err := writer(format, rng)
	if err != nil {
		return Corpus{}, err
	}
	c := Corpus{Format: format}
	if isCSV(format) {
		c.Header = []byte(strings.Join(columns(), ","))
	}
	now := time.Date(2026, time.March, 2, 9, 30, 0, 0, time.UTC).UnixMilli()
	for range n {
		now += rng.Int64N(30)
		row, rest := draw(rng, now)
		if format == "combined" {
			row.TS, row.Weight, row.Latency, row.Shard, row.Key = row.TS/1000*1000, 1, 0, "", "/"+row.Key
		}
		c.Rows = append(c.Rows, row)
		c.Lines = append(c.Lines, []byte(write(row, rest)))
	}
	lines := c.Lines
	if c.Header != nil {
		lines = append([][]byte{c.Header}, lines...)
	}
	c.Text = append(bytes.Join(lines, []byte("\n")), '\n')
	return c, nil
}

// Size returns the mean length of a record in bytes, without its line feed.
func (c *Corpus) Size() float64 {
	total := 0
	for _, line := range c.Lines {
		total += len(line)
	}
	return float64(total) / float64(len(c.Lines))
}

// draw makes up one record.
func draw(rng *rand.Rand, now int64) (Row, other) {
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	row := Row{
		TS: now, Tenant: pick("acme-retail", "globex", "initech-eu-west", "umbrella-labs", "hooli"),
		Key: fmt.Sprintf("%s/%d", pick("cart", "session", "inventory/item", "profile"), rng.IntN(10_000_000)),
		Op:  pick("GET", "GET", "GET", "PUT", "DELETE"), Weight: 1, Shard: fmt.Sprintf("shard-%02d", rng.IntN(64)),
		Bytes: float64(rng.IntN(1 << rng.IntN(17))), Latency: float64(100 + rng.IntN(1<<(4+rng.IntN(12)))),
		Status: []int{200, 200, 200, 204, 404, 429, 503}[rng.IntN(7)],
	}
	if rng.IntN(10) == 0 {
		row.Weight = float64(2 + rng.IntN(50))
	}
	return row, other{
		level: pick("info", "info", "warn"), trace: fmt.Sprintf("%016x", rng.Uint64()),
		ip: fmt.Sprintf("10.%d.%d.%d", rng.IntN(256), rng.IntN(256), rng.IntN(256)), host: fmt.Sprintf("edge-%d", rng.IntN(200)),
		msg: pick("request served", "served from replica", "upstream answered late"),
	}
}
