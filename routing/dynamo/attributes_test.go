package dynamo

import (
	"bytes"
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// value draws what JSON can hold and DynamoDB too.
func value(depth int) *rapid.Generator[any] {
	return rapid.Custom(func(t *rapid.T) any {
		kinds := 6
		if depth == 0 {
			kinds = 4
		}
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return rapid.String().Draw(t, "text")
		case 1:
			return json.Number(strconv.FormatUint(rapid.Uint64().Draw(t, "whole"), 10))
		case 2:
			f := rapid.Float64().Filter(func(f float64) bool { return f == 0 || math.Abs(f) < 1e125 && math.Abs(f) > 1e-129 }).Draw(t, "float")
			return json.Number(strconv.FormatFloat(f, 'g', -1, 64))
		case 3:
			return rapid.SampledFrom([]any{true, false, nil}).Draw(t, "word")
		case 4:
			return rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "list")
		}
		return rapid.MapOfN(rapid.StringN(1, 5, 20), value(depth-1), 0, 4).Draw(t, "map")
	})
}

// TestAttributesAndBack: any JSON object comes back from attributes as it was, digit by digit.
func TestAttributesAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOfN(rapid.StringN(1, 5, 20), value(3), 0, 5).Draw(t, "object")
		delete(object, partitionKey)
		delete(object, sortKey)
		b, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		item, err := itemOf(b, key("p", "s"))
		if err != nil {
			t.Fatal(err)
		}
		back, err := toJSON(item)
		if err != nil {
			t.Fatal(err)
		}
		var got any
		dec := json.NewDecoder(bytes.NewReader(back))
		dec.UseNumber()
		if err := dec.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(any(object), got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
	})
}

// TestNumbersRefused: a number that DynamoDB cannot hold is refused by us, with its name.
func TestNumbersRefused(t *testing.T) {
	for text, ok := range map[string]bool{
		"1e125": true, "1e126": false, "-1e126": false, "1e-130": true, "1e-131": false, "0": true, "-0.5": true, "1e999": false,
	} {
		_, err := fromJSON([]byte(`{"a":{"b":[` + text + `]}}`))
		if (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
		if want := "a: b: [0]: " + text + " is outside the numbers that DynamoDB holds"; !ok && err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// FuzzAttributes: no bytes break it, and what is read is read as JSON reads it.
func FuzzAttributes(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":[1,"x",null,{"b":true}]}`, `{"a":18446744073709551615}`, `{"a":1e400}`, `[1]`, `{"a":"\ud800"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		item, err := fromJSON(b)
		if err != nil {
			return
		}
		delete(item, partitionKey)
		delete(item, sortKey)
		back, err := toJSON(item)
		if err != nil {
			t.Fatal(err)
		}
		again, err := fromJSON(back)
		if err != nil {
			t.Fatalf("%s: %v", back, err)
		}
		twice, err := toJSON(again)
		if err != nil || !bytes.Equal(back, twice) {
			t.Fatalf("%s, then %s, %v", back, twice, err)
		}
	})
}
