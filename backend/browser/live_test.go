package browser_test

import (
	"os"
	"testing"

	"kuang/backend/browser/browsertest"
)

func TestMain(m *testing.M) {
	if profile := os.Getenv(helperProfile); profile != "" {
		os.Exit(helper(profile))
	}
	os.Exit(browsertest.Main(m))
}

func TestOpenLoadsAPage(t *testing.T) {
	ip, _ := browsertest.Serve(t, map[string]string{"/": `<title>Hello</title><p>hi`})
	tab := browsertest.Open(t, ip+"/")
	if got := tab.URL(); got != ip+"/" {
		t.Errorf("URL is %q, want %q", got, ip+"/")
	}
	if got := browsertest.Eval(t, tab, "document.title"); got != `"Hello"` {
		t.Errorf("title is %s", got)
	}
}
