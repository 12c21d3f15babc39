package assets

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"testing"
)

func TestEveryModuleIsInThePageScript(t *testing.T) {
	files, err := fs.Glob(pageFiles, "page/*.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(pageModules[:], strings.TrimSuffix(path.Base(f), ".js")) {
			t.Errorf("%s is not in the page script", f)
		}
	}
	if len(files) != len(pageModules) {
		t.Errorf("%d files, %d modules", len(files), len(pageModules))
	}
	script := PageScript()
	if !strings.HasPrefix(script, "(() => {") || !strings.HasSuffix(script, "return api;\n})()") {
		t.Error("the script is not one expression that returns the API")
	}
}

func TestWhatIsEmbedded(t *testing.T) {
	if _, err := fs.Stat(Fixtures(), "closed-root.html"); err != nil {
		t.Error(err)
	}
}
