package settings

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The keys of settings.json.
const (
	themeKey      = "appearance.theme"
	executableKey = "browser.executable"
	transportKey  = "browser.transport"
	debugPortKey  = "browser.debug_port"
	headlessKey   = "browser.headless"
	attachKey     = "browser.attach"
	portKey       = "api.port"
)

// The transports.
const (
	transportPipe = "pipe"
	transportPort = "port"
)

// longestText bounds a text value, in bytes: the longest path that Linux takes.
const longestText = 4096

// preferenceFields are the fields of settings.json, in file order.
func preferenceFields() []field {
	return []field{
		{key: themeKey, def: "sunlit", allowed: oneOf("sunlit", "midnight", "neon", "terminal", "system")},
		{key: executableKey, def: "", allowed: executable},
		{key: transportKey, def: transportPipe, allowed: oneOf(transportPipe, transportPort)},
		{key: debugPortKey, def: 0, allowed: between(0, 65535)},
		{key: headlessKey, def: false},
		{key: attachKey, def: "", allowed: attach},
		{key: portKey, def: 7423, allowed: between(1, 65535)},
	}
}

// values is p by key.
func (p Preferences) values() map[string]any {
	return map[string]any{
		themeKey:      p.Appearance.Theme,
		executableKey: p.Browser.Executable,
		transportKey:  p.Browser.Transport,
		debugPortKey:  p.Browser.DebugPort,
		headlessKey:   p.Browser.Headless,
		attachKey:     p.Browser.Attach,
		portKey:       p.API.Port,
	}
}

// preferencesOf is the inverse of values; v has a checked value for every field.
func preferencesOf(v map[string]any) Preferences {
	return Preferences{
		Appearance: Appearance{Theme: v[themeKey].(string)},
		Browser: Browser{
			Executable: v[executableKey].(string),
			Transport:  v[transportKey].(string),
			DebugPort:  v[debugPortKey].(int),
			Headless:   v[headlessKey].(bool),
			Attach:     v[attachKey].(string),
		},
		API: API{Port: v[portKey].(int)},
	}
}

func oneOf(words ...string) func(any) string {
	return func(v any) string {
		if s, ok := v.(string); ok && slices.Contains(words, s) {
			return ""
		}
		return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
	}
}

func executable(v any) string {
	if s, ok := v.(string); ok && (s == "" || plain(s) && filepath.IsAbs(s)) {
		return ""
	}
	return "a path from the root, or nothing"
}

func attach(v any) string {
	s, ok := v.(string)
	if ok && s == "" {
		return ""
	}
	if ok && plain(s) {
		u, err := url.Parse(s)
		if err == nil && u.Host != "" && slices.Contains([]string{"http", "https", "ws", "wss"}, u.Scheme) {
			return ""
		}
	}
	return "an address such as http://127.0.0.1:9222, or nothing"
}

// plain reports whether s is text that can be a path or an address.
func plain(s string) bool {
	return len(s) <= longestText && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
