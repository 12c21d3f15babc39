package page

import (
	"errors"
	"strconv"
	"strings"

	"kuang/backend/verb"
)

// cursor says where to read on, and how much there was, by which a changed page is noticed.
func cursor(offset, total int) string { return strconv.Itoa(offset) + "-" + strconv.Itoa(total) }

func readCursor(s string) (offset, total int, err error) {
	if s == "" {
		return 0, 0, nil
	}
	at, of, ok := strings.Cut(s, "-")
	offset, err1 := strconv.Atoi(at)
	total, err2 := strconv.Atoi(of)
	if !ok || errors.Join(err1, err2) != nil || offset < 0 || total < 0 {
		return 0, 0, &verb.Error{
			Code: verb.BadRequest, Message: "The cursor " + strconv.Quote(s) + " is not one that observe gave.",
			Hint: "Use next_cursor of the reply before, or leave cursor out to start at the beginning.",
		}
	}
	return offset, total, nil
}
