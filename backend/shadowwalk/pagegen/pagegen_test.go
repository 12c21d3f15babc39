package pagegen

import (
	"regexp"
	"strings"
	"testing"
)

func TestElements(t *testing.T) {
	for _, tc := range []struct{ ask, want int }{
		{0, frame}, {9, 9}, {14, 14}, {17, 17}, {300, 300}, {Medium, Medium}, {Large, Large},
	} {
		for _, html := range []string{Elements(tc.ask), Flat(tc.ask)} {
			check(t, tc.ask, tc.want, html)
		}
	}
}

func check(t *testing.T, ask, want int, html string) {
	t.Helper()
	tag := regexp.MustCompile(`<[a-z][a-z0-9-]*[ >]`)
	script := regexp.MustCompile(`(?s)<script>.*</script>`)
	html = script.ReplaceAllString(html, "<script></script>")
	if got := len(tag.FindAllString(html, -1)); got != want {
		t.Errorf("asked for %d elements: the page has %d, want %d", ask, got, want)
	}
	if got := strings.Count(html, "<order-line "); got != hosts {
		t.Errorf("asked for %d elements: the page has %d hosts, want %d", ask, got, hosts)
	}
}
