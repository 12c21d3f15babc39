package pagegen

import (
	"regexp"
	"testing"
)

func TestElements(t *testing.T) {
	tag := regexp.MustCompile(`<[a-z][a-z-]*[ >]`)
	script := regexp.MustCompile(`(?s)<script>.*</script>`)
	for _, tc := range []struct{ ask, want int }{
		{0, chrome}, {9, 9}, {14, 14}, {17, 17}, {Medium, Medium}, {Large, Large},
	} {
		page := script.ReplaceAllString(Elements(tc.ask), "<script></script>")
		if got := len(tag.FindAllString(page, -1)); got != tc.want {
			t.Errorf("Elements(%d) has %d elements, want %d", tc.ask, got, tc.want)
		}
		if got := len(regexp.MustCompile(`<order-line `).FindAllString(page, -1)); got != hosts {
			t.Errorf("Elements(%d) has %d hosts, want %d", tc.ask, got, hosts)
		}
	}
}
