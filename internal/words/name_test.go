package words

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"firebreak/routing"
)

// unname takes back what Name wrote of a name that was not cut.
func unname(t *rapid.T, shown string) string {
	var b strings.Builder
	for i := 0; i < len(shown); i++ {
		if !strings.HasPrefix(shown[i:], `\u{`) {
			b.WriteByte(shown[i])
			if shown[i] == '\\' { // its second byte belongs to it
				i++
				b.WriteByte(shown[i])
			}
			continue
		}
		end := i + strings.IndexByte(shown[i:], '}')
		r, err := strconv.ParseInt(shown[i+3:end], 16, 32)
		if err != nil {
			t.Fatalf("%q: %v", shown, err)
		}
		b.WriteRune(rune(r))
		i = end
	}
	name, err := routing.Unescape(b.String())
	if err != nil {
		t.Fatalf("%q: %v", shown, err)
	}
	return name
}

// TestShowTakenBack: whatever bytes a name is of, what is shown prints and says which name it is.
func TestShowTakenBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.OneOf(
			rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
			rapid.StringMatching(`(\\|\\u\{|\\x|[a-f0-9}]){0,20}`),
		).Draw(t, "name")
		shown := Show(name, 1<<20)
		if !utf8.ValidString(shown) || strings.IndexFunc(shown, func(r rune) bool { return !unicode.IsPrint(r) }) >= 0 {
			t.Fatalf("%q is shown as %q, which does not print", name, shown)
		}
		if got := unname(t, shown); got != name {
			t.Fatalf("%q is shown as %q, which is %q", name, shown, got)
		}
	})
}

// TestShowCut: a long name is as short as asked, by and large, and says what it left out.
func TestShowCut(t *testing.T) {
	if name := strings.Repeat("k", MaxName); Show(name, MaxName) != name {
		t.Errorf("a name that fits is cut: %s", Show(name, MaxName))
	}
	for _, n := range []int{65, 100, 1000, 10_000, 70_000, 1 << 20} {
		name := "begin" + strings.Repeat("\x00é", n/3) + "finis"
		shown := Show(name, MaxName)
		if size := utf8.RuneCountInString(shown); size > MaxName+8 {
			t.Errorf("a name of %d bytes is shown in %d characters: %s", len(name), size, shown)
		}
		if !strings.HasPrefix(shown, "begin") || !strings.HasSuffix(shown, "finis") || !strings.Contains(shown, "[…") {
			t.Errorf("a name of %d bytes is shown as %s", len(name), shown)
		}
	}
}

// TestShowHides: nothing that reorders, overlays or hides text is shown as itself.
func TestShowHides(t *testing.T) {
	for _, tt := range []struct{ name, want string }{
		{"\u202eevil", `\u{202e}evil`},
		{"a\u200bb", `a\u{200b}b`},
		{"a\u00a0b", `a\u{a0}b`},
		{"a\u2800b\u3164", `a\u{2800}b\u{3164}`},
		{"\x00\x1b[2J", `\u{0}\u{1b}[2J`},
		{"a\xffb", `a\xffb`},
		{`a\xffb`, `a\\xffb`},
		{"<b>&\"'", "<b>&\"'"}, // markup is the template's to escape
		{"日本", "日本"},
	} {
		if got := Show(tt.name, 64); got != tt.want {
			t.Errorf("Show(%q) = %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestFlat(t *testing.T) {
	if got := Flat("key \"a\xff\u202e\"\n", 100); got != `key "a\xff\u{202e}"\u{a}` {
		t.Errorf("got %s", got)
	}
	if got := Flat(strings.Repeat("word ", 1000), MaxPhrase); utf8.RuneCountInString(got) > MaxPhrase+8 {
		t.Errorf("%d characters of prose", utf8.RuneCountInString(got))
	}
}

func ExampleShow() {
	fmt.Println(Show("cart:42\x00\u202e", MaxName))
	fmt.Println(Show("session:"+strings.Repeat("0", 500)+":end", 24))
	// Output:
	// cart:42\u{0}\u{202e}
	// session:0000[…496…]:end
}
