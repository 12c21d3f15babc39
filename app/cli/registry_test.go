package cli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"kuang/backend/page"
	"kuang/backend/tool"
	"kuang/backend/tool/tooltest"
)

// portable are the schema keywords that MCP clients of every make read.
var portable = []string{
	"type", "properties", "required", "items", "enum", "description", "additionalProperties", "minimum", "maximum",
}

// The verbs of this build, as every surface will show them. What the registry itself refuses is not repeated here.
func TestTheVerbsOfThisBuild(t *testing.T) {
	registry, err := tool.NewRegistry(page.Verbs(page.Deps{})...)
	if err != nil {
		t.Fatal(err)
	}
	root := &cobra.Command{Use: "kuang"}
	AddVerbs(root, registry, nil)
	for _, verb := range registry.List() {
		raw, err := json.Marshal(verb.InputSchema)
		if err != nil {
			t.Fatal(err)
		}
		checkPortable(t, verb.Name, tooltest.Decode(t, raw))
		if verb.ReadOnly() && verb.Undo != nil {
			t.Errorf("%s only reads, and can be undone", verb.Name)
		}
		if len(verb.Description) > 1024 {
			t.Errorf("%s is described in %d characters, which some clients cut", verb.Name, len(verb.Description))
		}
		command, _, err := root.Find([]string{verb.Name})
		if err != nil || command.Name() != verb.Name {
			t.Errorf("%s is no command: %v", verb.Name, err)
			continue
		}
		for _, field := range verb.Fields() {
			if f := command.Flags().Lookup(field); f == nil || !strings.HasPrefix(f.Usage, verb.InputSchema.Properties[field].Description) {
				t.Errorf("the field %s of %s has no flag of its own", field, verb.Name)
			}
		}
	}
	if !strings.Contains(tool.Markdown(registry), "\n## bridge_health\n") {
		t.Error("the verb that answers GET /v1/health is not in this build")
	}
}

func checkPortable(t *testing.T, path string, schema map[string]any) {
	t.Helper()
	for key, v := range schema {
		if !slices.Contains(portable, key) {
			t.Errorf("%s uses %s", path, key)
		}
		if _, single := v.(string); key == "type" && !single {
			t.Errorf("%s has the types %v", path, v)
		}
		if sub, ok := v.(map[string]any); ok && (key == "items" || key == "additionalProperties") {
			checkPortable(t, path+"."+key, sub)
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, sub := range properties {
		checkPortable(t, path+"."+name, sub.(map[string]any))
	}
}
