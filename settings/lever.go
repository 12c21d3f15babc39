// Package settings holds what a person decided: the Shadow Walk policy that agents are held to, and the preferences
// of the program itself. Both are small JSON files that a person may also edit by hand. Nothing an agent can send
// reaches this package's writing side.
package settings

import "slices"

// Tier says how much a lever can be noticed, or can break.
type Tier string

// The tiers, from harmless to risky.
const (
	// Safe levers only read, in ways that a page cannot see.
	Safe Tier = "SAFE"
	// Visible levers leave something that a page or its reader can see.
	Visible Tier = "VISIBLE"
	// Cost levers only read, and make every answer slower.
	Cost Tier = "COST"
	// Risky levers change the page itself. They are turned on with Store.Arm alone.
	Risky Tier = "RISKY"
)

// Kind says what values a lever takes.
type Kind string

// The kinds of lever.
const (
	// Switch levers are true or false.
	Switch Kind = "switch"
	// Number levers are whole numbers from Min to Max.
	Number Kind = "number"
)

// The keys that code outside the table names.
const (
	// Master is the switch above all the others.
	Master = "enabled"
	// ForceOpen is the one risky lever.
	ForceOpen = "shadow.forceOpen"
)

// NotSupported is the refusal code of a lever that this build does not have yet.
const NotSupported = "NOT_SUPPORTED"

// Lever is one row of the schema: the single table that the panel, the refusals and the docs read.
type Lever struct {
	// Key is the lever's place in the file: "shadow.axSealed" is axSealed in the group shadow.
	Key string `json:"key"`
	// Name and Line are for a person: two or three words, and one or two sentences.
	Name string `json:"name"`
	Line string `json:"line"`
	// Off says what an agent gets when the lever is off, to be read after "Off: ". Empty for numbers.
	Off  string `json:"off"`
	Tier Tier   `json:"tier"`
	Kind Kind   `json:"kind"`
	// Default is a bool for switches and an int for numbers.
	Default any `json:"default"`
	// Min and Max are the inclusive range of a number, Unit what it counts where that is not plain from Name.
	Min  int    `json:"min"`
	Max  int    `json:"max"`
	Unit string `json:"unit"`
	// Code is the refusal that an agent gets, or empty when turning the lever off only leaves output out.
	Code string `json:"code"`
	// Page is the page of the rail (overview, shadow-dom, iframes, clone-lab), Group the heading on it.
	Page  string `json:"page"`
	Group string `json:"group"`
	// Parent is the key of the lever that this one belongs to, or empty. Without its parent it has no effect.
	Parent string `json:"parent"`
	// Where is the way to the lever in the panel, in words.
	Where string `json:"where"`
	// Built is false for a lever whose verb this build does not have. It is shown as such and cannot be set.
	Built bool `json:"built"`
}

// Levers returns the whole table in panel order. The caller owns the slice.
func Levers() []Lever { return newSchema().levers }

// Find returns the lever at key.
func Find(key string) (Lever, bool) {
	levers := Levers()
	i := slices.IndexFunc(levers, func(l Lever) bool { return l.Key == key })
	if i < 0 {
		return Lever{}, false
	}
	return levers[i], true
}

// schema is the table with an index by key. It is never changed once made.
type schema struct {
	levers []Lever
	index  map[string]int
}

func newSchema() *schema { return indexed(table()) }

// indexed fills in what follows from a row's page and place, and builds the index.
func indexed(levers []Lever) *schema {
	s := &schema{levers: levers, index: make(map[string]int, len(levers))}
	pages := map[string]string{
		"overview": "Overview", "shadow-dom": "Shadow DOM", "iframes": "Iframes", "clone-lab": "Clone Lab",
	}
	for i := range levers {
		l := &levers[i]
		l.Where = "Settings → Shadow Walk → " + pages[l.Page]
		if l.Code != "" {
			l.Off = "agents get " + l.Code
		}
		s.index[l.Key] = i
	}
	return s
}

// find returns the row at key and its position.
func (s *schema) find(key string) (Lever, int, bool) {
	i, ok := s.index[key]
	if !ok {
		return Lever{}, -1, false
	}
	return s.levers[i], i, true
}
