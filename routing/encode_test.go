package routing

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestEncodeExample pins the wire form: clients in other languages read it.
func TestEncodeExample(t *testing.T) {
	got, err := example(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"schema":1,"fleet":"orders","epoch":3,"version":17,"tenure":"b7e1",` +
		`"placement":{"bytes":"{tenant}:{key}","function":"xxh64","map":"mod-n","shards":4,"vshards":10240,"separator":"#"},` +
		`"shards":[{"name":"shard-0","role":"serving"},{"name":"shard-1","role":"serving"},` +
		`{"name":"shard-2","role":"serving"},{"name":"shard-3","role":"serving"},` +
		`{"name":"spare","role":"spare","capacity":9000},{"name":"dedicated","role":"dedicated"},` +
		`{"name":"new","role":"unknown"}],"moves":[{"vshard":12,"to":4},{"vshard":40,"to":1}],` +
		`"salts":[{"tenant":"acme","key":"cart","suffixes":[0,3,9],"read":3,"write":2,"tombstones":[4]}],` +
		`"tenants":[{"tenant":"whale","shards":[5,4]}],"quotas":[{"tenant":"whale","rate":1200.5}],` +
		`"cached":[{"tenant":"acme","key":"home\\xff","staleness_ms":1500}]}`
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("Encode (-want +got):\n%s", diff)
	}
}

func TestParseInvertsEncode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawDocument(t)
		drawDoubled(t, d)
		d.Normalize()
		encoded, err := d.Encode()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseDocument(encoded)
		if err != nil {
			t.Fatalf("ParseDocument(%s): %v", encoded, err)
		}
		if diff := cmp.Diff(d, got); diff != "" {
			t.Fatalf("Parse(Encode(d)) (-want +got):\n%s", diff)
		}
		if bound := d.sizeBound(); len(encoded) > bound {
			t.Fatalf("%d bytes encoded, sizeBound says at most %d", len(encoded), bound)
		}
		again, err := got.Encode()
		if err != nil || !bytes.Equal(again, encoded) {
			t.Fatalf("encoded again: %s, %v, want %s", again, err, encoded)
		}
	})
}

func TestEncodeIgnoresOrder(t *testing.T) {
	a, b := example(t), example(t)
	b.Moves[0], b.Moves[1] = b.Moves[1], b.Moves[0]
	b.Quotas = append([]Quota{}, b.Quotas...)
	b.Placement.Owners = []OwnerRun{}
	encodedA, errA := a.Encode()
	encodedB, errB := b.Encode()
	if errA != nil || errB != nil || !bytes.Equal(encodedA, encodedB) {
		t.Errorf("the same document in another order: %s, want %s (%v, %v)", encodedB, encodedA, errA, errB)
	}
}

func TestParseIsStrict(t *testing.T) {
	good, err := example(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct{ old, new, want string }{
		{`"epoch":3`, `"epoch":3,"epoch":4`, `field "epoch" is given twice`},
		{`"epoch":3`, `"Epoch":3`, `field "Epoch" is unknown`},
		{`"version":17`, `"verſion":17`, `is unknown`},
		{`"epoch":3`, `"epoch":3,"colour":1`, "colour"},
		{`"epoch":3`, `"epoch":-3`, "epoch"},
		{`"epoch":3`, `"epoch":3.5`, "epoch"},
		{`"role":"spare"`, `"role":"spar"`, `role: "spar"`},
		{`"xxh64"`, `"xxh65"`, `function: "xxh65"`},
		{`"mod-n"`, `"mod"`, `owner map: "mod"`},
		{`"cart"`, "\"ca\xff\"", "not valid UTF-8"},
		{`"cart"`, `"ca\ud800"`, "unpaired surrogate"},
		{`"cart"`, `"ca\\q"`, "salts.key: escape"},
		{`"cart"`, `"ca\\x41"`, "canonical"},
		{`"staleness_ms":1500`, `"staleness_ms":9223372036854775807`, "staleness_ms"},
		{`]}`, `]} {}`, "after the document"},
		{`]}`, `]}}`, "after the document"},
		{`]}`, `]`, "parse document"},
		{`"schema":1`, `"schema":2`, "schema: 2"},
	} {
		text := string(good)
		at := strings.LastIndex(text, tc.old)
		if at < 0 {
			t.Fatalf("%q is not in the example", tc.old)
		}
		text = text[:at] + tc.new + text[at+len(tc.old):]
		if _, err := ParseDocument([]byte(text)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s for %s: %v, want an error that says %q", tc.new, tc.old, err, tc.want)
		}
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, good, "", "  "); err != nil {
		t.Fatal(err)
	}
	if _, err := ParseDocument(append(indented.Bytes(), '\n')); err != nil {
		t.Errorf("ParseDocument of the indented form: %v", err)
	}
}

func FuzzParseDocument(f *testing.F) {
	good, err := example(f).Encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add([]byte(`{"schema":1,"fleet":"f","epoch":0,"version":1,"placement":{"bytes":"key","function":"md5","map":"ring",` +
		`"shards":1,"vshards":2,"virtual_nodes":2,"separator":"#"},"shards":[{"name":"a","role":"serving"}]}`))
	f.Add([]byte(`[[[[{"a":{"b":[1,2]}}]]]]`))
	f.Add([]byte("{\"fleet\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := ParseDocument(data)
		if err != nil {
			return
		}
		encoded, err := d.Encode()
		if err != nil {
			t.Fatalf("a parsed document does not encode: %v", err)
		}
		again, err := ParseDocument(encoded)
		if err != nil {
			t.Fatalf("ParseDocument(%s): %v", encoded, err)
		}
		if diff := cmp.Diff(d, again); diff != "" {
			t.Fatalf("parsed, encoded, parsed (-want +got):\n%s", diff)
		}
		if _, err := NewTable(d); err != nil {
			t.Fatalf("NewTable of a parsed document: %v", err)
		}
	})
}

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"":          "",
		"user:é":    "user:é",
		`a\b`:       `a\\b`,
		"\xff":      `\xff`,
		`\xff`:      `\\xff`,
		"\uFFFD":    "\uFFFD",
		"a\xed\xa0": `a\xed\xa0`,
		"\x00\n":    "\x00\n",
	} {
		if got := Escape(in); got != want {
			t.Errorf("Escape(%q) = %q, want %q", in, got, want)
		}
		if got, err := Unescape(want); err != nil || got != in {
			t.Errorf("Unescape(%q) = %q, %v, want %q", want, got, err, in)
		}
	}
	for _, bad := range []string{`\`, `\x`, `\xf`, `\xFF`, `\x41`, `\n`, "\xff", `a\\\`} {
		if got, err := Unescape(bad); err == nil {
			t.Errorf("Unescape(%q) = %q, want an error", bad, got)
		}
	}
}

// TestEscapeInverts: for any bytes, into valid UTF-8 that the wire keeps.
func TestEscapeInverts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := string(hostile(0, 20).Draw(t, "bytes"))
		text := Escape(in)
		if got, err := Unescape(text); err != nil || got != in {
			t.Fatalf("Unescape(Escape(%q)) = %q, %v", in, got, err)
		}
		if strings.ToValidUTF8(text, "") != text {
			t.Fatalf("Escape(%q) = %q is not valid UTF-8", in, text)
		}
	})
}
