package words

import (
	"strings"
	"testing"
)

// TestOwner: of an owner all is said that is named, a long address whole; of nobody nothing.
func TestOwner(t *testing.T) {
	long := "https://wiki.example/" + strings.Repeat("a", 300)
	for _, tt := range []struct {
		owner Owner
		want  string
	}{
		{Owner{}, ""},
		{Owner{Team: "shop"}, `"shop"`},
		{Owner{Channel: "#carts"}, `channel "#carts"`},
		{Owner{"shop", "#carts", long}, `"shop"; channel "#carts"; runbook "` + long + `"`},
		{Owner{Team: "a\nb", Runbook: "x"}, `"a\u{a}b"; runbook "x"`},
	} {
		if got := flat(tt.owner.Says()); got != tt.want {
			t.Errorf("%+v: got %s, want %s", tt.owner, got, tt.want)
		}
	}
}
