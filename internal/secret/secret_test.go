package secret_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"firebreak/internal/secret"
)

func TestNothingPrintsIt(t *testing.T) {
	v := secret.Value("hunter2")
	marshalled, err := json.Marshal(struct{ V secret.Value }{v})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{fmt.Sprint(v), fmt.Sprintf("%v %+v %#v %q", v, v, v, v), string(marshalled)} {
		if strings.Contains(text, "hunter2") {
			t.Errorf("printed: %s", text)
		}
	}
	if got := fmt.Sprint(secret.Value("")); got != "" {
		t.Errorf("none prints %q", got)
	}
}

func TestRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "secret")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := secret.Value("here").Read(""); err != nil || got != "here" {
		t.Errorf("without a file: %q, %v", got, err)
	}
	write(" one two\r\n")
	if got, err := secret.Value("here").Read(file); err != nil || got != " one two" {
		t.Errorf("from the file: %q, %v", got, err)
	}
	write("three")
	if got, err := secret.Value("").Read(file); err != nil || got != "three" {
		t.Errorf("changed in place: %q, %v", got, err)
	}
	write(" \n")
	if _, err := secret.Value("here").Read(file); err == nil || !strings.Contains(err.Error(), file+": is empty") {
		t.Errorf("an empty file: %v", err)
	}
	if _, err := secret.Value("here").Read(file + ".none"); err == nil || strings.Contains(err.Error(), "here") {
		t.Errorf("no file: %v", err)
	}
}
