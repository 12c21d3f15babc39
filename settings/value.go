package settings

import (
	"fmt"
	"strings"
)

// The variables that decide a lever for one run.
const (
	envKill      = "KUANG_SHADOW_WALK"
	envForceOpen = "KUANG_FORCE_OPEN_SHADOW"
)

// environment reads the kill-switches: the values that they force, and the variable behind each, by key.
func environment(env func(string) string) (forced map[string]int, locks map[string]string) {
	forced, locks = map[string]int{}, map[string]string{}
	if env == nil {
		return forced, locks
	}
	// It only ever turns off, and a word that is not understood turns off too: that is what it is there for.
	switch v := strings.TrimSpace(env(envKill)); strings.ToLower(v) {
	case "", "on", "1", "true", "yes":
	default:
		forced[Master], locks[Master] = 0, envKill+"="+v
		return forced, locks // nothing else has a say then
	}
	if v := strings.TrimSpace(env(envForceOpen)); v == "1" {
		forced[ForceOpen], locks[ForceOpen] = 1, envForceOpen+"="+v
	}
	return forced, locks
}

// fields is the table as the fields of the policy file.
func (s *schema) fields() []field {
	fields := make([]field, 0, len(s.levers))
	for _, l := range s.levers {
		f := field{key: l.Key, def: l.Default}
		if l.Kind == Number {
			f.allowed = between(l.Min, l.Max)
		}
		fields = append(fields, f)
	}
	return fields
}

// between allows the ints from low to high.
func between(low, high int) func(any) string {
	return func(v any) string {
		if n, ok := v.(int); ok && low <= n && n <= high {
			return ""
		}
		return fmt.Sprintf("%d to %d", low, high)
	}
}

// takes says what the lever takes, to the person at its control.
func (l Lever) takes() string {
	if l.Kind == Number {
		return fmt.Sprintf("%d to %d", l.Min, l.Max)
	}
	return "On or off"
}

// coerce turns what a caller hands over into the Go type that a lever of this kind has.
func coerce(v any, k Kind) (any, bool) {
	switch v := v.(type) {
	case bool:
		return v, k == Switch
	case int:
		return v, k == Number
	case int64:
		if int64(int(v)) != v {
			return nil, false
		}
		return int(v), k == Number
	case float64:
		n, ok := wholeNumber(v)
		return n, ok && k == Number
	}
	return nil, false
}

// spoken is a lever value as a person reads it.
func spoken(v any) string {
	switch v {
	case true:
		return "on"
	case false:
		return "off"
	}
	return fmt.Sprint(v)
}
