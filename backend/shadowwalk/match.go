package shadowwalk

import (
	"strings"
)

// matcher is a query, prepared. A control is matched twice: by what it says of itself, and, once what a field holds
// has been taken out of its name, by the name that is left.
type matcher struct {
	role, whole, part string
	q                 Query
}

func newMatcher(q Query) matcher {
	return matcher{role: fold(q.Role), whole: fold(q.Name), part: fold(q.Contains), q: q}
}

// byName reports whether the query asks for the name at all.
func (m matcher) byName() bool { return m.whole != "" || m.part != "" || m.q.Regex != nil }

func (m matcher) control(c control) bool {
	return (m.role == "" || c.role == m.role) && m.name(c.ax.Name)
}

func (m matcher) name(name string) bool {
	folded := fold(name)
	switch {
	case m.whole != "" && folded != m.whole:
	case m.part != "" && !strings.Contains(folded, m.part):
	case m.q.Regex != nil && !m.q.Regex.MatchString(name):
	default:
		return true
	}
	return false
}

// fold makes texts comparable: no regard to case and to runs of white space.
func fold(s string) string { return strings.ToLower(strings.Join(strings.Fields(s), " ")) }
