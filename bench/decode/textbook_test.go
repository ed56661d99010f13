package decode

import (
	"encoding/csv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"firebreak/pipeline/record"
)

// TestTextbookDoesAllOfDecode: of every row the textbook's reader makes the record that Decode makes, or both refuse it.
func TestTextbookDoesAllOfDecode(t *testing.T) {
	const header = "ts_ms,tenant,key,op,weight,rate,shard,caller,bytes,latency_us,status"
	rows := []string{
		"1,t,k,GET,1,1,s,c,1,2,200", "1,t,k,,,,,,,,", ",,,GET,1,1,,c,1,2,200", ",,k,GET,,,,,,,", "x,t,k,GET,1,1,s,c,1,2,200",
		"9223372036855,t,k,GET,1,1,s,c,1,2,200", "9223372036,t,k,GET,1,1,s,c,1,2,200", "-5,t,k,GET,1,1,s,c,1,2,200",
		"1,t,k,GET,0,1,s,c,1,2,200", "1,t,k,GET,-1,1,s,c,1,2,200", "1,t,k,GET,NaN,1,s,c,1,2,200", "1,t,k,GET,1e999,1,s,c,1,2,200",
		"1,t,k,GET,2.5,0.5,s,c,1,2,200", "1,t,k,GET,1,0,s,c,1,2,200", "1,t,k,GET,1,1.5,s,c,1,2,200", "1,t,k,GET,4294967297,,s,c,1,2,200",
		"1,t,k,GET,1,1e-10,s,c,1,2,200", "1,t,k,GET,1,1,s,c,-1,2,200", "1,t,k,GET,1,1,s,c,1,Inf,200", "1,t,k,GET,1,1,s,c,1,2.5,429",
		"1,t,k,GET,1,1,s,c,1,2,503", "1,t,k,GET,1,1,s,c,1,2,-1", "1,t,k,GET,1,1,s,c,1,2,4294967296", "1,t,k,GET,1,1,s,c,1,2,Throttled",
		"1,t," + strings.Repeat("k", 1024) + ",GET,1,1,s,c,1,2,200", "1,t," + strings.Repeat("k", 1025) + ",GET,1,1,s,c,1,2,200",
	}
	for word := range strings.FieldsSeq(readWords + " " + writeWords + " get batch_get set-lease NOPE") {
		rows = append(rows, "1,t,k,"+word+",1,1,s,c,1,2,200")
	}
	d, err := record.NewDecoder(config("csv"))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Header([]byte(header)); err != nil {
		t.Fatal(err)
	}
	book := newTextbook(strings.Split(header, ","))
	refused := 0
	for _, row := range rows {
		fields, err := csv.NewReader(strings.NewReader(row)).Read()
		if err != nil {
			t.Fatal(err)
		}
		var got parsed
		err = book.parse(fields, &got)
		var rec record.Record
		reason := d.Decode([]byte(row), &rec)
		if (err != nil) != (reason != record.ReasonNone) {
			t.Fatalf("%.80s: %v, Decode says %v", row, err, reason)
		}
		if err != nil {
			refused++
			continue
		}
		want := parsed{
			Row: Row{
				TS: rec.Time / 1e6, Tenant: string(rec.Tenant), Key: string(rec.Key), Weight: rec.Count, Shard: string(rec.Shard),
				Bytes: rec.Bytes, Latency: rec.Latency, Status: rec.Status,
			},
			op: rec.Op, rate: rec.Rate, caller: string(rec.Caller), throttled: rec.Throttled,
		}
		if rec.Time == record.NoTime {
			want.TS = 0
		}
		if !cmp.Equal(got, want, cmp.AllowUnexported(parsed{})) {
			t.Errorf("%.80s: %s", row, cmp.Diff(want, got, cmp.AllowUnexported(parsed{})))
		}
	}
	if refused != 15 {
		t.Errorf("%d rows refused, want 15", refused)
	}
}
