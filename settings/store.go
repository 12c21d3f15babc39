package settings

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrNeedsConfirm is returned by Store.Set for a risky lever: turning it on takes Store.Arm.
var ErrNeedsConfirm = errors.New("a risky lever is turned on with its confirm only")

// InvalidError says why a value was not taken. Message is a sentence or two for the person at the control.
type InvalidError struct{ Key, Message string }

// Error satisfies the error interface.
func (e *InvalidError) Error() string { return e.Key + ": " + e.Message }

// Report is what a person should know about a settings file.
type Report struct {
	// Unknown are the keys that this build does not know, sorted. They are kept.
	Unknown []string `json:"unknown"`
	// Broken is the name of the file that was set aside since the start, or empty. It is the settings file itself
	// where setting it aside failed; nothing is saved then, so that nothing of it is lost.
	Broken string `json:"broken"`
	// Problems are the sentences that say what was wrong with the file, and what holds instead.
	Problems []string `json:"problems"`
	// SaveError is the sentence that says why the last save failed; it is empty after one that did not.
	SaveError string `json:"save_error"`
	// SavedAt is when the file was last written; zero when there is none.
	SavedAt time.Time `json:"saved_at,omitzero"`
}

// Store is the policy file, shadow-walk.json. The file is the person's: what they write into it by hand while Kuang
// runs is taken over at the next change, unknown keys included. Only turning a risky lever on is not taken over;
// that needs Arm while Kuang runs.
type Store struct {
	file   *file
	schema *schema
	// forced and locks are the environment's word: values that win over the file, and the variable behind each.
	forced map[string]int
	locks  map[string]string

	// policy is what holds now; it is read by every call and written under mu.
	policy atomic.Pointer[values]

	// mu makes changes one at a time. It guards doc, which is the file as last read or written, and report.
	mu     sync.Mutex
	doc    document
	report Report

	subscribers subscribers[Policy]
}

// Open reads the policy of the directory dir, which it makes when there is none, under the environment env. A damaged
// file is set aside and what is shipped holds; a bad value in a good file gives way to the shipped one, and the other
// values hold, so that nothing that a person turned off comes back on. The report says so either way. The error is
// about the directory alone.
func Open(dir string, env func(string) string) (*Store, error) {
	return openStore(&file{dir: dir, name: "shadow-walk.json", now: time.Now, replace: replaceFile}, newSchema(), env)
}

func openStore(f *file, schema *schema, env func(string) string) (*Store, error) {
	f.fields = schema.fields()
	s := &Store{file: f, schema: schema}
	s.forced, s.locks = environment(env)
	var err error
	s.doc, s.report, err = f.open()
	if err != nil {
		return nil, err
	}
	s.policy.Store(s.values(s.doc))
	return s, nil
}

// Policy returns the policy that holds now.
func (s *Store) Policy() Policy { return Policy{s.policy.Load()} }

// Set changes one lever and saves. A value that the lever does not take is an *InvalidError, turning a risky lever on
// is ErrNeedsConfirm, and a failed save is a *SaveError; the policy is what it was after each of them. Numbers may be
// any Go integer or a float64 without a fraction, which is what JSON gives.
func (s *Store) Set(key string, value any) error {
	return s.change(func(now map[string]any) error {
		v, err := s.check(key, value, now[key])
		if err != nil {
			return err
		}
		if l, _, _ := s.schema.find(key); l.Tier == Risky && v == true && now[key] != true {
			return fmt.Errorf("%s: %w", key, ErrNeedsConfirm)
		}
		now[key] = v
		return nil
	})
}

// Arm turns the risky lever at key on and saves; word is what the person typed and must be "ARM".
func (s *Store) Arm(key, word string) error {
	return s.change(func(now map[string]any) error {
		if _, err := s.check(key, true, now[key]); err != nil {
			return err
		}
		if l, _, _ := s.schema.find(key); l.Tier != Risky {
			return &InvalidError{key, l.Name + " needs no confirm."}
		}
		if word != "ARM" {
			return &InvalidError{key, "Type ARM to go on. Still " + spoken(now[key]) + "."}
		}
		now[key] = true
		return nil
	})
}

// Reset puts every lever back to its default and saves. Unknown keys stay.
func (s *Store) Reset() error {
	return s.change(func(now map[string]any) error {
		maps.Copy(now, shipped(s.file.fields).values)
		return nil
	})
}

// Report says what a person should know about the file.
func (s *Store) Report() Report {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.report.clone()
}

// Subscribe calls fn after a change with the policy that holds then. Calls come one at a time and the last one has the
// newest policy; changes in quick succession may come as one. fn must not change the store.
func (s *Store) Subscribe(fn func(Policy)) (cancel func()) { return s.subscribers.add(fn) }

// change reads the file again, lets edit change its values, and saves. Nothing changes when either fails.
func (s *Store) change(edit func(now map[string]any) error) error {
	if err := s.changeLocked(edit); err != nil {
		return err
	}
	s.subscribers.tell(s.Policy)
	return nil
}

func (s *Store) changeLocked(edit func(now map[string]any) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	doc, err := s.file.change(s.doc, &s.report, s.disarm, edit)
	if err != nil {
		return err
	}
	s.doc = doc
	s.policy.Store(s.values(doc))
	return nil
}

// disarm undoes the risky levers that were turned on in the file by hand while Kuang ran, and says so.
func (s *Store) disarm(read document) []string {
	var problems []string
	for _, l := range s.schema.levers {
		if l.Tier == Risky && read.values[l.Key] == true && s.doc.values[l.Key] != true {
			read.values[l.Key] = false
			problems = append(problems, l.Key+" was turned on in the file. That takes its confirm in the panel, so it is off.")
		}
	}
	return problems
}

// check turns value into one that the lever at key takes. now is what holds.
func (s *Store) check(key string, value, now any) (any, error) {
	l, i, ok := s.schema.find(key)
	if !ok {
		return nil, &InvalidError{key, "There is no setting called " + key + "."}
	}
	v, ok := coerce(value, l.Kind)
	if takes := l.takes(); !ok || s.file.fields[i].refuse(v) != "" {
		return nil, &InvalidError{key, takes + ". Still " + spoken(now) + "."}
	}
	if !l.Built {
		return nil, &InvalidError{key, "Not in this build."}
	}
	if by := s.locks[key]; by != "" {
		return nil, &InvalidError{key, "Set by " + by + " for this run. Start Kuang without it to decide here."}
	}
	return v, nil
}

// values is the policy that doc and the environment come to.
func (s *Store) values(doc document) *values {
	v := &values{schema: s.schema, at: make([]int, len(s.schema.levers)), locks: s.locks}
	for i, l := range s.schema.levers {
		v.at[i] = number(doc.values[l.Key])
		if n, ok := s.forced[l.Key]; ok {
			v.at[i] = n
		}
	}
	return v
}

func (r Report) clone() Report {
	r.Unknown, r.Problems = slices.Clone(r.Unknown), slices.Clone(r.Problems)
	return r
}
