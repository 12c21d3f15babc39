package settings

import "testing"

// policyWith is the shipped policy of the table, every lever built, with some values changed.
func policyWith(change map[string]any, env map[string]string) Policy {
	schema := allBuilt()
	s := &Store{schema: schema, file: &file{fields: schema.fields()}}
	s.forced, s.locks = environment(func(k string) string { return env[k] })
	doc := shipped(s.file.fields)
	for k, v := range change {
		doc.values[k] = v
	}
	return Policy{s.values(doc)}
}

// allBuilt is the table as it will be when every verb exists.
func allBuilt() *schema {
	levers := table()
	for i := range levers {
		levers[i].Built = true
	}
	return indexed(levers)
}

func TestPolicyAllow(t *testing.T) {
	const shadowDOM = "Settings → Shadow Walk → Shadow DOM"
	master := Refusal{Code: "SHADOW_WALK_DISABLED", Setting: "enabled", Where: "Settings → Shadow Walk → Overview", Message: "Shadow Walk is off."}
	tests := []struct {
		name   string
		policy Policy
		key    string
		want   *Refusal
	}{
		{"on", Defaults(), "shadow.axSealed", nil},
		{"master", Defaults(), Master, nil},
		{"off", policyWith(map[string]any{"shadow.axSealed": false}, nil), "shadow.axSealed",
			&Refusal{Code: "SEALED_DISABLED", Setting: "shadow.axSealed", Where: shadowDOM, Message: "The lever “Sealed controls” is off."}},
		{"master off wins", policyWith(map[string]any{Master: false, "shadow.axSealed": false}, nil), "shadow.axSealed", &master},
		{"master off itself", policyWith(map[string]any{Master: false}, nil), Master, &master},
		{"killed by the environment", policyWith(nil, map[string]string{envKill: "off"}), "shadow.axSealed",
			&Refusal{Code: "SHADOW_WALK_DISABLED", Setting: "enabled", Where: master.Where,
				Message: "Shadow Walk is off for this run, set by KUANG_SHADOW_WALK=off."}},
		{"kill beats force-open", policyWith(nil, map[string]string{envKill: "off", envForceOpen: "1"}), ForceOpen,
			&Refusal{Code: "SHADOW_WALK_DISABLED", Setting: "enabled", Where: master.Where,
				Message: "Shadow Walk is off for this run, set by KUANG_SHADOW_WALK=off."}},
		{"not built", Defaults(), "frames.geometry",
			&Refusal{Code: "NOT_SUPPORTED", Setting: "frames.geometry", Where: "Settings → Shadow Walk → Iframes", Message: "Frame places is not in this build."}},
		{"off without a code", Defaults(), ForceOpen,
			&Refusal{Code: "NOT_SUPPORTED", Setting: ForceOpen, Where: shadowDOM, Message: "The lever “Force open” is off."}},
		{"force-open armed", policyWith(map[string]any{ForceOpen: true}, nil), ForceOpen, nil},
		{"parent off", policyWith(map[string]any{"shadow.tabWalk": false}, nil), "shadow.tabWalkMaxSteps",
			&Refusal{Code: "TAB_WALK_DISABLED", Setting: "shadow.tabWalk", Where: shadowDOM, Message: "The lever “Tab walk” is off."}},
		{"number", policyWith(nil, nil), "shadow.tabWalkMaxSteps", nil},
		{"unknown", Defaults(), "shadow.nothing",
			&Refusal{Code: "NOT_SUPPORTED", Setting: "shadow.nothing", Message: "There is no setting called shadow.nothing."}},
		{"zero policy", Policy{}, "shadow.axSealed", &master},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := tt.policy.Allow(tt.key)
			if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
				t.Errorf("Allow(%q)\n got %+v\nwant %+v", tt.key, got, tt.want)
			}
		})
	}
}

func TestEnvironment(t *testing.T) {
	tests := []struct {
		name               string
		kill, force        string
		enabled, forceOpen bool
		lockedEnabled      string
		lockedForceOpen    string
	}{
		{name: "nothing", enabled: true},
		{name: "off", kill: "off", lockedEnabled: "KUANG_SHADOW_WALK=off"},
		{name: "any case", kill: " OFF ", lockedEnabled: "KUANG_SHADOW_WALK=OFF"},
		{name: "zero", kill: "0", lockedEnabled: "KUANG_SHADOW_WALK=0"},
		{name: "a word not understood turns off", kill: "disable", lockedEnabled: "KUANG_SHADOW_WALK=disable"},
		{name: "on decides nothing", kill: "on", enabled: true},
		{name: "armed", force: "1", enabled: true, forceOpen: true, lockedForceOpen: "KUANG_FORCE_OPEN_SHADOW=1"},
		{name: "only 1 arms", force: "yes", enabled: true},
		{name: "off wins over armed", kill: "off", force: "1", lockedEnabled: "KUANG_SHADOW_WALK=off"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := policyWith(nil, map[string]string{envKill: tt.kill, envForceOpen: tt.force})
			if p.On(Master) != tt.enabled || p.On(ForceOpen) != tt.forceOpen {
				t.Errorf("enabled %v, forceOpen %v", p.On(Master), p.On(ForceOpen))
			}
			if p.Locked(Master) != tt.lockedEnabled || p.Locked(ForceOpen) != tt.lockedForceOpen {
				t.Errorf("locks %q and %q", p.Locked(Master), p.Locked(ForceOpen))
			}
		})
	}
	if forced, locks := environment(nil); len(forced)+len(locks) != 0 {
		t.Error("no environment decides something")
	}
}

func TestPolicyValues(t *testing.T) {
	p := policyWith(map[string]any{"frames.maxFrames": 3}, nil)
	if p.Int("frames.maxFrames") != 3 || p.Int("frames.maxControls") != 40 {
		t.Errorf("numbers %d, %d", p.Int("frames.maxFrames"), p.Int("frames.maxControls"))
	}
	if p.Int(Master) != 0 || p.On("frames.maxFrames") || p.Int("none") != 0 || p.On("none") {
		t.Error("a switch read as a number, a number as a switch, or an unknown key as anything")
	}
	zero := Policy{}
	if zero.On(Master) || zero.Int("frames.maxFrames") != 0 || zero.Locked(Master) != "" {
		t.Error("the zero policy allows something")
	}
	if !p.Equal(policyWith(map[string]any{"frames.maxFrames": 3}, nil)) || p.Equal(Defaults()) || p.Equal(zero) ||
		!zero.Equal(Policy{}) || Defaults().Equal(policyWith(nil, map[string]string{envKill: "on", envForceOpen: "1"})) {
		t.Error("Equal")
	}
}
