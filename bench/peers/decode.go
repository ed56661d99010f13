package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/buger/jsonparser"
	"github.com/bytedance/sonic"
	"github.com/go-logfmt/logfmt"
	gojson "github.com/goccy/go-json"
	"github.com/tidwall/gjson"
	"github.com/valyala/fastjson"

	"firebreak/bench/decode"
	"firebreak/bench/measure"
)

// runDecode measures the decoders.
func runDecode(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("decode", flag.ContinueOnError)
	rounds := flags.Int("rounds", 101, "rounds, at least "+strconv.Itoa(measure.MinRounds))
	round := flags.Duration("round", time.Millisecond, "time of one contender in one round")
	if err := flags.Parse(args); err != nil {
		return err
	}
	table, err := decode.Run(decode.Config{Config: measure.Config{Rounds: *rounds, Round: *round}, Seed: 1, Others: contenders()})
	if err != nil {
		return err
	}
	return table.Write(out)
}

// contenders returns the libraries of others, each in the way that its own manual shows for a few known members.
func contenders() []decode.Contender {
	var all []decode.Contender
	for _, format := range []string{"json", "json-mixed", "json-shuffled"} {
		for name, read := range map[string]func(line []byte, r *decode.Row) error{
			"valyala/fastjson":         fastjsonReader(),
			"goccy/go-json":            func(line []byte, r *decode.Row) error { return gojson.Unmarshal(line, r) },
			"bytedance/sonic":          func(line []byte, r *decode.Row) error { return sonic.Unmarshal(line, r) },
			"tidwall/gjson ForEach":    readGjson,
			"buger/jsonparser EachKey": readJSONParser,
		} {
			all = append(all, decode.Contender{Format: format, Name: name, Open: decode.ByLine(read)})
		}
	}
	return append(all, decode.Contender{Format: "logfmt", Name: "go-logfmt/logfmt", Open: decode.ByLine(readLogfmt)})
}

// fastjsonReader parses into one tree that it reuses, and asks it for nine members.
func fastjsonReader() func(line []byte, r *decode.Row) error {
	var parser fastjson.Parser
	return func(line []byte, r *decode.Row) error {
		v, err := parser.ParseBytes(line)
		if err != nil {
			return err
		}
		r.TS = v.GetInt64("ts_ms")
		r.Tenant = view(v.GetStringBytes("tenant"))
		r.Key = view(v.GetStringBytes("key"))
		r.Op = view(v.GetStringBytes("op"))
		r.Weight = v.GetFloat64("weight")
		r.Shard = view(v.GetStringBytes("shard"))
		r.Bytes = v.GetFloat64("bytes")
		r.Latency = v.GetFloat64("latency_us")
		r.Status = v.GetInt("status")
		return nil
	}
}

// readGjson walks the members once; gjson checks the grammar only when it is asked to.
func readGjson(line []byte, r *decode.Row) error {
	if !gjson.ValidBytes(line) {
		return fmt.Errorf("not JSON: %.80q", line)
	}
	gjson.ParseBytes(line).ForEach(func(name, v gjson.Result) bool {
		switch name.Str {
		case "ts_ms":
			r.TS = v.Int()
		case "tenant":
			r.Tenant = v.Str
		case "key":
			r.Key = v.Str
		case "op":
			r.Op = v.Str
		case "weight":
			r.Weight = v.Num
		case "shard":
			r.Shard = v.Str
		case "bytes":
			r.Bytes = v.Num
		case "latency_us":
			r.Latency = v.Num
		case "status":
			r.Status = int(v.Num)
		}
		return true
	})
	return nil
}

// readJSONParser looks for nine paths in one pass. jsonparser does not check the grammar of what it passes over.
func readJSONParser(line []byte, r *decode.Row) error {
	paths := [...][]string{{"ts_ms"}, {"tenant"}, {"key"}, {"op"}, {"weight"}, {"shard"}, {"bytes"}, {"latency_us"}, {"status"}}
	var failed error
	jsonparser.EachKey(line, func(i int, value []byte, _ jsonparser.ValueType, err error) {
		s := view(value)
		switch i {
		case 0:
			r.TS, err = jsonparser.ParseInt(value)
		case 1:
			r.Tenant = s
		case 2:
			r.Key = s
		case 3:
			r.Op = s
		case 4:
			r.Weight, err = strconv.ParseFloat(s, 64)
		case 5:
			r.Shard = s
		case 6:
			r.Bytes, err = strconv.ParseFloat(s, 64)
		case 7:
			r.Latency, err = strconv.ParseFloat(s, 64)
		case 8:
			r.Status, err = strconv.Atoi(s)
		}
		if err != nil {
			failed = err
		}
	}, paths[:]...)
	return failed
}

// readLogfmt scans the pairs of one line.
func readLogfmt(line []byte, r *decode.Row) error {
	d := logfmt.NewDecoder(bytes.NewReader(line))
	for d.ScanRecord() {
		for d.ScanKeyval() {
			var err error
			s := view(d.Value())
			switch view(d.Key()) {
			case "ts_ms":
				r.TS, err = strconv.ParseInt(s, 10, 64)
			case "tenant":
				r.Tenant = s
			case "key":
				r.Key = s
			case "op":
				r.Op = s
			case "weight":
				r.Weight, err = strconv.ParseFloat(s, 64)
			case "shard":
				r.Shard = s
			case "bytes":
				r.Bytes, err = strconv.ParseFloat(s, 64)
			case "latency_us":
				r.Latency, err = strconv.ParseFloat(s, 64)
			case "status":
				r.Status, err = strconv.Atoi(s)
			}
			if err != nil {
				return err
			}
		}
	}
	return d.Err()
}
