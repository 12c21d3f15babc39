package settings

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestLeversAreComplete(t *testing.T) {
	seen := map[string]bool{}
	places := []string{}
	for _, l := range Levers() {
		t.Run(l.Key, func(t *testing.T) {
			if seen[l.Key] {
				t.Error("key stands twice")
			}
			seen[l.Key] = true
			if l.Name == "" || !strings.HasSuffix(l.Line, ".") || len([]rune(l.Line)) > 220 {
				t.Errorf("name %q, line %q", l.Name, l.Line)
			}
			if place := "Settings → Shadow Walk → "; !strings.HasPrefix(l.Where, place) || l.Where == place {
				t.Errorf("where = %q", l.Where)
			}
			if l.Group == "" || l.Page == "" {
				t.Errorf("page %q, group %q", l.Page, l.Group)
			}
			if !slices.Contains([]Tier{Safe, Visible, Cost, Risky}, l.Tier) {
				t.Errorf("tier %q", l.Tier)
			}
			switch l.Kind {
			case Switch:
				if _, ok := l.Default.(bool); !ok || l.Off == "" {
					t.Errorf("default %v, off %q", l.Default, l.Off)
				}
			case Number:
				n, ok := l.Default.(int)
				if !ok || n < l.Min || n > l.Max || l.Off != "" || l.Code != "" || l.Parent == "" {
					t.Errorf("default %v in %d to %d, off %q, code %q, parent %q", l.Default, l.Min, l.Max, l.Off, l.Code, l.Parent)
				}
			default:
				t.Errorf("kind %q", l.Kind)
			}
			if l.Code != "" && l.Off != "agents get "+l.Code {
				t.Errorf("off = %q", l.Off)
			}
			if parent, ok := Find(l.Parent); l.Parent != "" && (!ok || !seen[l.Parent] || parent.Page != l.Page || parent.Group != l.Group) {
				t.Errorf("parent %q is not above it in its group", l.Parent)
			}
			if l.Tier == Risky && l.Default != false {
				t.Error("a risky lever is off until somebody arms it")
			}
			if got, ok := Find(l.Key); !ok || got != l {
				t.Errorf("Find = %+v, %v", got, ok)
			}
		})
		// A page and a group are each one stretch of the table, so that a panel can render it in order.
		if place := l.Page + "/" + l.Group; len(places) == 0 || places[len(places)-1] != place {
			places = append(places, place)
		}
	}
	if u := slices.Compact(slices.Sorted(slices.Values(places))); len(u) != len(places) {
		t.Errorf("groups are torn apart: %v", places)
	}
	if _, ok := Find("shadow.nothing"); ok {
		t.Error("Find made a lever up")
	}
}

func TestLeversAreACopy(t *testing.T) {
	Levers()[0].Code = "CHANGED"
	if l, _ := Find(Master); l.Code != "SHADOW_WALK_DISABLED" {
		t.Errorf("a caller changed the table: %q", l.Code)
	}
}

// The file that an empty folder leads to is the requirement, so it stands here as one would write it by hand.
func TestShippedPolicy(t *testing.T) {
	const want = `{
		"enabled": true,
		"shadow": {
			"deepOpenRoots": true, "axSealed": true, "componentSurface": true,
			"tabWalk": true, "tabWalkMaxSteps": 8, "tabWalkRestoreFocus": true,
			"cdpStyleMatch": false, "partHighlight": false, "forceOpen": false, "sealedText": false
		},
		"frames": {
			"geometry": true, "controls": true, "screenshots": true,
			"maxFrames": 6, "maxControls": 40, "screenshotMaxSide": 1024
		},
		"cloneLab": {"enabled": false}
	}`
	fields := newSchema().fields()
	var got, expected any
	if err := json.Unmarshal(shipped(fields).encode(fields), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(want), &expected); err != nil {
		t.Fatal(err)
	}
	g, _ := json.Marshal(got)
	e, _ := json.Marshal(expected)
	if string(g) != string(e) {
		t.Errorf("shipped policy\n got %s\nwant %s", g, e)
	}

	ranges := map[string][2]int{}
	built := []string{}
	for _, l := range Levers() {
		if l.Kind == Number {
			ranges[l.Key] = [2]int{l.Min, l.Max}
		}
		if l.Built {
			built = append(built, l.Key)
		}
	}
	if want := map[string][2]int{
		"shadow.tabWalkMaxSteps": {1, 24}, "frames.maxFrames": {1, 24},
		"frames.maxControls": {1, 200}, "frames.screenshotMaxSide": {256, 4096},
	}; !maps.Equal(ranges, want) {
		t.Errorf("ranges = %v", ranges)
	}
	if want := []string{Master, "shadow.axSealed", "shadow.deepOpenRoots", ForceOpen}; !slices.Equal(built, want) {
		t.Errorf("built = %v", built)
	}
}

func TestLeverJSON(t *testing.T) {
	l, _ := Find("frames.screenshotMaxSide")
	raw, err := json.Marshal(l)
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	want := []string{"built", "code", "default", "group", "key", "kind", "line", "max", "min", "name", "off", "page",
		"parent", "tier", "unit", "where"}
	if got := slices.Sorted(maps.Keys(m)); !slices.Equal(got, want) {
		t.Errorf("JSON names = %v", got)
	}
}
