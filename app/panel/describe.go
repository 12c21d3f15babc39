package panel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"kuang/backend/ledger"
)

// described is how many fields of an input a line of the log names.
const described = 4

// describe says what a call was given in a few words, in the order in which it was sent: `role button, name “Confirm
// order”, sealed`. It knows no verb, so that a new one needs nothing here.
func describe(input json.RawMessage) string {
	d := json.NewDecoder(bytes.NewReader(input))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return ""
	}
	var words []string
	more := 0
	for d.More() {
		key, err := d.Token()
		if err != nil {
			break
		}
		var value any
		if err := d.Decode(&value); err != nil {
			break
		}
		if len(words) == described {
			more++
			continue
		}
		words = append(words, field(fmt.Sprint(key), value))
	}
	if more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// plainWord is text that needs no quotation marks: a name of the API's own, a selector's id, an address.
var plainWord = regexp.MustCompile(`^[a-z0-9_.:/#@-]{1,60}$`)

func field(key string, value any) string {
	switch v := value.(type) {
	case string:
		if plainWord.MatchString(v) {
			return key + " " + v
		}
		return key + " " + ledger.Quote(v)
	case bool:
		if v {
			return key
		}
		return key + " off"
	case float64:
		return fmt.Sprintf("%s %g", key, v)
	case []any:
		return fmt.Sprintf("%d %s", len(v), key)
	}
	return key
}

// verdict is what an output claims to have seen, such as no_effect, or empty.
func verdict(output json.RawMessage) string {
	var o struct {
		Verdict any `json:"verdict"`
	}
	if err := json.Unmarshal(output, &o); err != nil {
		return "" // A cut output is no JSON.
	}
	v, _ := o.Verdict.(string)
	return v
}
