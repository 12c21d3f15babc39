package settings

import (
	"maps"
	"sync"
	"time"
)

// Preferences are how Kuang itself looks and runs: settings.json.
type Preferences struct {
	Appearance Appearance `json:"appearance"`
	Browser    Browser    `json:"browser"`
	API        API        `json:"api"`
}

// Appearance is how the panel looks.
type Appearance struct {
	// Theme is sunlit, midnight, neon, terminal or system.
	Theme string `json:"theme"`
}

// Browser is which Chromium Kuang drives, and how.
type Browser struct {
	// Executable is an absolute path, or empty to look for one.
	Executable string `json:"executable"`
	// Transport is pipe or port. DebugPort is the loopback port of the latter, and 0 is none yet.
	Transport string `json:"transport"`
	DebugPort int    `json:"debug_port"`
	Headless  bool   `json:"headless"`
	// Attach is the address (http, https, ws or wss) of a running browser to use in place of one of its own, or empty.
	Attach string `json:"attach"`
}

// API is where agents reach Kuang.
type API struct {
	// Port is the loopback port.
	Port int `json:"port"`
}

// DefaultPreferences are the preferences that Kuang ships with.
func DefaultPreferences() Preferences { return preferencesOf(shipped(preferenceFields()).values) }

// PreferenceStore is the preferences file, settings.json. What a person writes into it by hand while Kuang runs is
// taken over at the next change, unless that change is about the same value.
type PreferenceStore struct {
	file *file

	// mu makes changes one at a time. It guards doc, which is the file as last read or written, and report.
	mu     sync.Mutex
	doc    document
	report Report
}

// OpenPreferences reads the preferences of the directory dir, which it makes when there is none. A damaged file is
// treated like that of Open.
func OpenPreferences(dir string) (*PreferenceStore, error) {
	return openPreferences(&file{dir: dir, name: "settings.json", now: time.Now, replace: replaceFile})
}

func openPreferences(f *file) (*PreferenceStore, error) {
	f.fields = preferenceFields()
	s := &PreferenceStore{file: f}
	var err error
	s.doc, s.report, err = f.open()
	if err != nil {
		return nil, err
	}
	s.report.Problems = append(s.report.Problems, settle(s.doc)...)
	return s, nil
}

// Get returns the preferences that hold now.
func (s *PreferenceStore) Get() Preferences {
	s.mu.Lock()
	defer s.mu.Unlock()
	return preferencesOf(s.doc.values)
}

// Set replaces the preferences and saves. A value that does not fit is an *InvalidError and a failed save a
// *SaveError; the preferences are what they were after both.
func (s *PreferenceStore) Set(p Preferences) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	wanted, held := p.values(), maps.Clone(s.doc.values)
	for _, f := range s.file.fields {
		if takes := f.refuse(wanted[f.key]); takes != "" {
			return &InvalidError{f.key, "It takes " + takes + ". Still " + say(held[f.key]) + "."}
		}
	}
	doc, err := s.file.change(s.doc, &s.report, settle, func(now map[string]any) error {
		for key, v := range wanted {
			if v != held[key] {
				now[key] = v // the rest may have been edited by hand, and that is left alone
			}
		}
		if now[transportKey] == transportPort && now[debugPortKey] == 0 {
			return &InvalidError{debugPortKey, "The port transport needs a port, 1 to 65535."}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.doc = doc
	return nil
}

// Report says what a person should know about the file.
func (s *PreferenceStore) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.report.clone()
}

// settle makes values from a file fit each other, and says what it changed.
func settle(read document) []string {
	if read.values[transportKey] != transportPort || read.values[debugPortKey] != 0 {
		return nil
	}
	read.values[transportKey] = transportPipe
	return []string{transportKey + " is \"port\" and " + debugPortKey + " is 0. Without a port, \"pipe\" holds."}
}
