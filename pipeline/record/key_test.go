package record

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCutNeverMerges: two values share a cut form only if they are equal, whatever their lengths, and in particular
// where one is the other's cut form.
func TestCutNeverMerges(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := bytes.Repeat([]byte{rapid.Byte().Draw(t, "fill")}, rapid.IntRange(MaxKey-2, MaxKey+600).Draw(t, "length"))
		a := append(base, rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "tail")...)
		b := bytes.Clone(a)
		switch rapid.IntRange(0, 3).Draw(t, "change") {
		case 0:
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		case 1:
			b = b[:rapid.IntRange(0, len(b)-1).Draw(t, "keep")]
		case 2:
			b, _, _ = Cut(a, nil)
		case 3:
		}
		cutA, _, isCut := Cut(a, nil)
		cutB, _, _ := Cut(b, nil)
		if same := bytes.Equal(a, b); same != bytes.Equal(cutA, cutB) {
			t.Fatalf("equal %v, but cut forms equal %v: %d and %d bytes", same, !same, len(a), len(b))
		}
		if isCut != (len(a) > MaxKey) || isCut != IsCut(cutA) {
			t.Fatalf("%d bytes: cut %v, IsCut %v", len(a), isCut, IsCut(cutA))
		}
		if isCut && (len(cutA) != MaxCut || !bytes.Equal(cutA[:MaxKey], a[:MaxKey])) {
			t.Fatalf("cut form has %d bytes, want %d after the prefix", len(cutA), MaxCut)
		}
	})
}

// The hash is the published XXH3 with 128 bits: others must be able to compute a cut key. The vector is the reference
// implementation's digest (python-xxhash) of 2,000 times "a".
func TestCutForm(t *testing.T) {
	got, _, cut := Cut(bytes.Repeat([]byte("a"), 2000), nil)
	want := strings.Repeat("a", MaxKey) + "#xxh3=7a206569ef970dac6c137a3091e34b7c"
	if !cut || string(got) != want {
		t.Errorf("cut form ends %q, want %q", got[MaxKey:], want[MaxKey:])
	}
}

// TestKeysAreBytes is case S19: keys of control bytes, keys that differ in one byte that is not UTF-8, an empty key
// and 64 KB keys, in every format that can carry them.
func TestKeysAreBytes(t *testing.T) {
	keys := []string{
		"\x00\n\x1b[2J\xff\xfe", "k\xff", "k\xfe", "k\uFFFD", "k", "K",
		strings.Repeat("x", 64<<10), strings.Repeat("x", 64<<10-1) + "y", strings.Repeat("x", MaxKey), strings.Repeat("x", MaxKey+1),
	}
	cutOf := func(k string) string {
		out, _, _ := Cut([]byte(k), nil)
		return string(out)
	}
	writers := map[string]func(key string) string{
		"json": func(k string) string { return `{"tenant":"t","key":` + quoteJSON(k) + `}` },
		"csv": func(k string) string {
			return `t,"` + strings.ReplaceAll(k, `"`, `""`) + `"`
		},
		"logfmt":   func(k string) string { return "tenant=t key=" + quoteJSON(k) },
		"combined": func(k string) string { return accessLine(k) },
	}
	for format, write := range writers {
		d := mustDecoder(t, Config{Format: format, Fields: keyAndTenant(format)})
		if d.NeedsHeader() {
			if err := d.Header([]byte("tenant,key")); err != nil {
				t.Fatal(err)
			}
		}
		seen := map[string]string{}
		for _, key := range keys {
			var rec Record
			if reason := d.Decode([]byte(write(key)), &rec); reason != ReasonNone {
				t.Errorf("%s: %.20q refused: %v", format, key, reason)
				continue
			}
			if string(rec.FullKey) != key || string(rec.Key) != cutOf(key) || rec.KeyHashed != (len(key) > MaxKey) {
				t.Errorf("%s: key %.20q (%d bytes) came out as %.20q, hashed %v", format, key, len(key), rec.Key, rec.KeyHashed)
			}
			if other, ok := seen[string(rec.Key)]; ok {
				t.Errorf("%s: %.20q and %.20q merged", format, key, other)
			}
			seen[string(rec.Key)] = key
		}
		var rec Record
		if reason := d.Decode([]byte(write("")), &rec); reason != ReasonNone || rec.Key != nil || rec.FullKey != nil {
			t.Errorf("%s: empty key gave %v, %q", format, reason, rec.Key)
		}
	}
}

// keyAndTenant maps the two fields by the names that TestKeysAreBytes writes.
func keyAndTenant(format string) Fields {
	if format == "combined" {
		return Fields{Tenant: Field{Path: "host"}, Key: Field{Path: "path"}}
	}
	return Fields{Tenant: Field{Path: "tenant"}, Key: Field{Path: "key"}}
}

// quoteJSON quotes bytes as JSON; what is not a control byte, a quote or a backslash stays raw.
func quoteJSON(s string) string {
	var b strings.Builder
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c < ' ':
			fmt.Fprintf(&b, `\u%04x`, c)
		default:
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}

// accessLine writes a combined line for a path as Apache escapes it.
func accessLine(path string) string {
	var b strings.Builder
	for i := range len(path) {
		if c := path[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\x%02x`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return `10.0.0.1 - - [17/May/2015:10:05:03 +0000] "GET ` + b.String() + ` HTTP/1.1" 200 1 "-" "-"`
}

// mustDecoder makes a decoder.
func mustDecoder(t testing.TB, cfg Config) *Decoder {
	t.Helper()
	d, err := NewDecoder(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// quoteJSON is itself checked against the standard library, or the tests above would test nothing.
func TestQuoteJSON(t *testing.T) {
	for _, want := range []string{"", "a\"b\\c\n\x00", "\u00e9\U0001F600"} {
		var got string
		if err := json.Unmarshal([]byte(quoteJSON(want)), &got); err != nil || got != want {
			t.Errorf("%q became %q: %v", want, got, err)
		}
	}
}
