package settings

import "slices"

// Policy is an immutable snapshot of all lever values with the environment's kill-switches applied. It is one
// pointer: copy it freely and read it once a call. The zero Policy allows nothing.
type Policy struct{ v *values }

// values backs a Policy and is never changed once a Policy has it.
type values struct {
	schema *schema
	// at holds one value a lever, by its position in the schema: a number, or 0 and 1 for off and on.
	at []int
	// locks maps a key to the variable that decides it for this run.
	locks map[string]string
}

// Defaults is the policy that Kuang ships with, no environment applied.
func Defaults() Policy {
	s := newSchema()
	return Policy{&values{schema: s, at: s.defaults()}}
}

// On reports the value of a switch as it holds now, the environment included. It does not ask the master switch:
// a caller that is about to do something asks Allow. Unknown keys are off.
func (p Policy) On(key string) bool {
	l, n := p.get(key)
	return l.Kind == Switch && n != 0
}

// Int returns the value of a number, or 0 for a key that is not one.
func (p Policy) Int(key string) int {
	l, n := p.get(key)
	if l.Kind != Number {
		return 0
	}
	return n
}

// Allow returns nil when what the lever at key permits may be done now, and the refusal otherwise: the master switch
// is asked first, then whether this build has the lever, then its parent, then the lever. A lever without a refusal
// code of its own refuses with NOT_SUPPORTED; a verb that merely leaves output out asks On instead.
func (p Policy) Allow(key string) *Refusal {
	l, n := p.get(key)
	if !p.On(Master) {
		return p.refuse(Master)
	}
	if l.Key == "" {
		return &Refusal{Code: NotSupported, Setting: key, Message: "There is no setting called " + key + "."}
	}
	if !l.Built {
		return &Refusal{Code: NotSupported, Setting: key, Where: l.Where, Message: l.Name + " is not in this build."}
	}
	if l.Parent != "" {
		if r := p.Allow(l.Parent); r != nil {
			return r
		}
	}
	if l.Kind == Switch && n == 0 {
		return p.refuse(key)
	}
	return nil
}

// Locked returns the variable that decides the lever at key for this run, such as "KUANG_SHADOW_WALK=off", or "".
func (p Policy) Locked(key string) string {
	if p.v == nil {
		return ""
	}
	return p.v.locks[key]
}

// Equal reports whether both policies hold the same values for the same reasons.
func (p Policy) Equal(q Policy) bool {
	if p.v == nil || q.v == nil {
		return p.v == q.v
	}
	if len(p.v.locks) != len(q.v.locks) {
		return false
	}
	for k, by := range p.v.locks {
		if q.v.locks[k] != by {
			return false
		}
	}
	return slices.Equal(p.v.at, q.v.at)
}

func (p Policy) get(key string) (Lever, int) {
	if p.v == nil {
		return Lever{}, 0
	}
	l, i, ok := p.v.schema.find(key)
	if !ok {
		return Lever{}, 0
	}
	return l, p.v.at[i]
}

func (p Policy) refuse(key string) *Refusal {
	l, _ := p.get(key)
	if p.v == nil {
		l, _ = Find(key)
	}
	r := &Refusal{Code: l.Code, Setting: key, Where: l.Where, Message: "The lever “" + l.Name + "” is off."}
	if key == Master {
		r.Message = l.Name + " is off."
	}
	if r.Code == "" {
		r.Code = NotSupported
	}
	if by := p.Locked(key); by != "" {
		r.Message = l.Name + " is off for this run, set by " + by + "."
	}
	return r
}

// Refusal is what an agent is told when a lever is off.
type Refusal struct {
	// Code is the stable name of the refusal, Setting the lever's key, Where the way to it in the panel.
	Code    string `json:"code"`
	Setting string `json:"setting"`
	Where   string `json:"where"`
	// Message is one sentence.
	Message string `json:"message"`
}

// Error satisfies the error interface.
func (r *Refusal) Error() string { return r.Code + ": " + r.Message }

// defaults returns the shipped value of every lever, by position.
func (s *schema) defaults() []int {
	at := make([]int, len(s.levers))
	for i, l := range s.levers {
		at[i] = number(l.Default)
	}
	return at
}

// number turns a checked lever value into the form that values keeps.
func number(v any) int {
	switch v := v.(type) {
	case int:
		return v
	case bool:
		if v {
			return 1
		}
	}
	return 0
}
