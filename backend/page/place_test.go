package page

import "testing"

func TestAPageWithoutATitleIsCalledByItsSite(t *testing.T) {
	for _, tc := range []struct {
		out  NavigationOut
		want string
	}{
		{NavigationOut{URL: "https://shop.example/a", Title: "Stoves"}, "“Stoves” on shop.example"},
		{NavigationOut{URL: "https://shop.example/a", Title: " "}, "shop.example"},
		{NavigationOut{URL: "about:blank"}, "“about:blank”"},
	} {
		if got := tc.out.place(); got != tc.want {
			t.Errorf("%+v is called %s, want %s", tc.out, got, tc.want)
		}
	}
}
