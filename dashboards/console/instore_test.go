package console

import (
	"html"
	"strings"
	"testing"

	"firebreak/profiles"
)

// TestInStore: the page of a hotspot and its answer have the plan in the words of the fleet's store, and no page of a fleet without a profile.
func TestInStore(t *testing.T) {
	for _, profile := range []string{"", "dynamodb"} {
		f := hotKey(t)
		store, err := profiles.Open(profiles.Choice{Name: profile}, "")
		if err != nil {
			t.Fatal(err)
		}
		f.store = store
		f.looked(nil).run(30)
		h := served(t, f.model, &oracle{})
		page := get(t, h, "/fleets/orders/hotspots/"+f.hot()).Body.String()
		if says := strings.Contains(html.UnescapeString(page), "In DynamoDB: write sharding, a suffix on the partition key; by hand:"); says != (profile != "") {
			t.Errorf("profile %q: the page says it: %v", profile, says)
		}
		answer := get(t, h, "/api/v1/hotspots/"+f.hot()).Body.String()
		if says := strings.Contains(answer, `"in_store":{"store":"DynamoDB"`); says != (profile != "") {
			t.Errorf("profile %q: the answer says it: %v\n%s", profile, says, answer)
		}
	}
}
