package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

// layers is the house from the ground up. A package imports only packages of a lower layer; a folder's sub-packages
// stand with the folder unless they have a line of their own.
var layers = [][]string{
	{"settings", "assets", "frontend"},
	{"backend/store"},
	{"backend/runs", "backend/ledger"},
	{"backend/cdp"},
	{"backend/browser"},
	{"backend/session"},
	{"backend/verb"},
	{"backend/shadowwalk"},
	{"backend/page"},
	{"backend/tool"},
	{"backend/api", "backend/mcp"},
	{"app/cli", "app/panel"},
	{"app"},
	{""}, // main.go
}

// layerOf is the height of a package's path inside the module, or -1 for one that has no place.
func layerOf(path string) int {
	best, height := -1, -1
	for i, layer := range layers {
		for _, p := range layer {
			inside := path == p || p != "" && strings.HasPrefix(path, p+"/")
			if inside && len(p) > best {
				best, height = len(p), i
			}
		}
	}
	return height
}

// exclusive lists heavy dependencies and the only packages that may open their door.
var exclusive = map[string][]string{
	"github.com/wailsapp/wails":              {"app"},
	"github.com/labstack/echo":               {"backend/api"},
	"github.com/modelcontextprotocol/":       {"backend/mcp"},
	"gorm.io/":                               {"backend/store", "backend/runs", "backend/ledger"},
	"github.com/spf13/cobra":                 {"app"},
	"github.com/chromedp/chromedp":           {"backend/cdp", "backend/browser"},
	"github.com/chromedp/cdproto":            {"backend/cdp", "backend/browser", "backend/shadowwalk", "backend/page"},
	"github.com/google/jsonschema-go":        {"backend/tool", "backend/api", "backend/mcp", "app/cli"},
	"github.com/modelcontextprotocol/go-sdk": {"backend/mcp"},
}

func TestImportsPointDown(t *testing.T) {
	type pkg struct {
		ImportPath   string
		Imports      []string
		TestImports  []string
		XTestImports []string
	}
	for _, tags := range []string{"", "desktop,production,webkit2_41"} {
		out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "-tags", tags, "kuang/...").Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				t.Fatalf("go list: %v\n%s", err, exit.Stderr)
			}
			t.Fatal(err)
		}
		seen := 0
		for d := json.NewDecoder(bytes.NewReader(out)); ; seen++ {
			var p pkg
			if err := d.Decode(&p); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
			self := strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, "kuang"), "/")
			height := layerOf(self)
			if height < 0 {
				t.Errorf("%s has no place in the layers", p.ImportPath)
			}
			for _, imported := range p.Imports {
				checkImport(t, self, height, imported)
			}
		}
		if seen < 10 {
			t.Fatalf("go list saw %d packages", seen)
		}
	}
}

func checkImport(t *testing.T, self string, height int, imported string) {
	t.Helper()
	if path, ours := strings.CutPrefix(imported, "kuang/"); ours {
		sibling := strings.Split(path, "/")[0] == strings.Split(self, "/")[0] && layerOf(path) == height &&
			(strings.HasPrefix(path, self+"/") || strings.HasPrefix(self, path+"/"))
		if layerOf(path) >= height && !sibling {
			t.Errorf("%s imports %s, which is not below it", self, path)
		}
		return
	}
	for door, keepers := range exclusive {
		if !strings.HasPrefix(imported, door) {
			continue
		}
		for _, keeper := range keepers {
			if self == keeper || strings.HasPrefix(self, keeper+"/") {
				return
			}
		}
		t.Errorf("%s imports %s, whose door is %s", self, imported, strings.Join(keepers, " and "))
	}
}

func TestLayerOf(t *testing.T) {
	cases := map[string]int{"settings": 0, "backend/cdp": 3, "backend/browser/browsertest": 4, "app/panel": 11, "app": 12, "": 13, "backend/unheard": -1}
	for path, want := range cases {
		if got := layerOf(path); got != want {
			t.Errorf("layerOf(%q) = %d, want %d", path, got, want)
		}
	}
}
