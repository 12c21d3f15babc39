package settings

import (
	"errors"
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
	// Unknown are the keys that this build does not know. They are kept.
	Unknown []string `json:"unknown"`
	// Broken is the name of the file that was set aside, or empty.
	Broken string `json:"broken"`
	// Problems are the sentences that say what was wrong with the file.
	Problems []string `json:"problems"`
	// SaveError says why the last save failed; it is empty again after one that did not.
	SaveError string `json:"save_error"`
	// SavedAt is when the file was last written; zero when there is none.
	SavedAt time.Time `json:"saved_at,omitzero"`
}

// Store is the policy file, shadow-walk.json.
type Store struct{}

// Open reads the policy of the directory dir.
func Open(dir string, env func(string) string) (*Store, error) { return &Store{}, nil }

// Policy returns the policy that holds now.
func (s *Store) Policy() Policy { return Defaults() }

// Set changes one lever and saves.
func (s *Store) Set(key string, value any) error { return nil }

// Arm turns a risky lever on; word is what the person typed and must be "ARM".
func (s *Store) Arm(key, word string) error { return nil }

// Reset puts every lever back to its default and saves.
func (s *Store) Reset() error { return nil }

// Report says what a person should know about the file.
func (s *Store) Report() Report { return Report{} }

// Subscribe calls fn after every change.
func (s *Store) Subscribe(fn func(Policy)) (cancel func()) { return func() {} }
