package mover_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"firebreak/actuator/mover"
	"firebreak/actuator/operation"
)

// TestDocs: docs/movers.md names all that is asked for, and its task has the members of a real one.
func TestDocs(t *testing.T) {
	page, err := os.ReadFile("../../docs/movers.md")
	if err != nil {
		t.Fatal(err)
	}
	for a := operation.AskFold; a <= operation.AskProvision; a++ {
		if !strings.Contains(string(page), "`"+a.String()+"`") {
			t.Errorf("%s is not explained", a)
		}
	}
	_, example, _ := strings.Cut(string(page), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	written, err := mover.Encode(task(t))
	if err != nil {
		t.Fatal(err)
	}
	var shown, is map[string]any
	if err := json.Unmarshal([]byte(example), &shown); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(written, &is); err != nil {
		t.Fatal(err)
	}
	for name := range is {
		if shown[name] == nil {
			t.Errorf("the example lacks %s", name)
		}
		delete(shown, name)
	}
	if len(shown) > 0 {
		t.Errorf("the example has %v, and a task has not", shown)
	}
}
