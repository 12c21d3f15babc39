package app

import (
	"flag"
	"os"
	"testing"

	"kuang/backend/tool"
)

var update = flag.Bool("update", false, "rewrite the generated documents")

const verbsDoc = "../assets/docs/verbs.md"

func TestVerbReferenceIsFresh(t *testing.T) {
	registry, err := listing()
	if err != nil {
		t.Fatal(err)
	}
	want := tool.Markdown(registry)
	if *update {
		if err := os.WriteFile(verbsDoc, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(verbsDoc)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Error("assets/docs/verbs.md is stale: go test ./app -run VerbReference -update rewrites it")
	}
}
