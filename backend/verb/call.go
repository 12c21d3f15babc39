package verb

import (
	"log/slog"

	"kuang/backend/browser"
	"kuang/backend/session"
	"kuang/settings"
)

// Caller is who asks.
type Caller struct {
	// Client is the name the agent gave itself.
	Client string
	// Surface is the door it came through: http, mcp, cli or panel.
	Surface string
}

// Call is what a verb's handler is given besides its input. It lives for one call.
type Call struct {
	Caller  Caller
	Session *session.Session
	// Tab is the tab that the call acts on; nil for NoTab verbs.
	Tab *browser.Tab
	// Policy is the settings snapshot taken when the call began; it does not change under a running verb.
	Policy settings.Policy
	Log    *slog.Logger
}

// Require refuses the call when the lever at key is off, with the code and the place in the panel that turns it on.
func (c *Call) Require(key string) error {
	if r := c.Policy.Allow(key); r != nil {
		return Refused(r)
	}
	return nil
}
