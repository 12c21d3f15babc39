package runs

import (
	"encoding/json"
	"fmt"
	"time"
)

// runRow is a row of the table runs. Times are milliseconds since 1970.
type runRow struct {
	ID                       string `gorm:"primaryKey"`
	Session, Client, Surface string
	StartedAt, LastAt        int64
	Calls, Failures          int
	Outcome                  string
	Bytes                    int64
}

// TableName is the table for gorm.
func (runRow) TableName() string { return "runs" }

// run is the row as the package shows it.
func (r runRow) run(sites []string) Run {
	if sites == nil {
		sites = []string{} // a list for JSON
	}
	return Run{
		ID: r.ID, Session: r.Session, Client: r.Client, Surface: r.Surface,
		StartedAt: ms(r.StartedAt), LastAt: ms(r.LastAt), Calls: r.Calls, Failures: r.Failures,
		Sites: sites, Outcome: r.Outcome,
	}
}

// entryRow is a row of the table entries.
type entryRow struct {
	Seq         int64 `gorm:"primaryKey"`
	ID, RunID   string
	At          int64
	Verb        string
	Tab, Site   string
	Outcome     string
	Code        string
	DurationMS  int64 `gorm:"column:duration_ms"`
	Input       string
	InputCut    bool
	InputBytes  int
	Output      string
	OutputCut   bool
	OutputBytes int
	Protocol    string
}

// TableName is the table for gorm.
func (entryRow) TableName() string { return "entries" }

// entry is the row as the package shows it.
func (r entryRow) entry() (Entry, error) {
	e := Entry{
		ID: r.ID, RunID: r.RunID, At: ms(r.At), Verb: r.Verb, Tab: r.Tab, Site: r.Site,
		Outcome: r.Outcome, Code: r.Code, DurationMS: r.DurationMS,
		Input: raw(r.Input), InputCut: r.InputCut, InputBytes: r.InputBytes,
		Output: raw(r.Output), OutputCut: r.OutputCut, OutputBytes: r.OutputBytes,
	}
	if r.Protocol != "" {
		if err := json.Unmarshal([]byte(r.Protocol), &e.Protocol); err != nil {
			return Entry{}, fmt.Errorf("reading entry %s: %w", r.ID, err)
		}
	}
	return e, nil
}

// raw is stored JSON; the empty text stands for none.
func raw(s string) json.RawMessage {
	if s == "" {
		return nil
	}
	return json.RawMessage(s)
}

// ms is a stored time.
func ms(t int64) time.Time { return time.UnixMilli(t).UTC() }
