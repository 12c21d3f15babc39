package page

import (
	"sync"

	proto "github.com/chromedp/cdproto/cdp"
)

// spoiled is how many numbers are skipped when a reading failed before it said which it gave out. A reading gives out
// at most one for each thing it lists, and no page that can be listed has this many.
const spoiled = 1_000_000

// tabState is what Kuang remembers of a tab besides what the browser layer does.
type tabState struct {
	// offers is held while one document gives out marks, so that no two take the same numbers. It is a channel of one
	// place so that a caller who leaves stops waiting.
	offers chan struct{}

	mu     sync.Mutex // guards what follows
	next   int        // the first number above all that were given out
	owners []span     // which document's frame got which numbers, rising

	signature string // the page as page_state last saw it
}

// span is a run of numbers, to exclusive, and the frame whose document has them.
type span struct {
	from, to int
	frame    proto.FrameID
}

func newTabState() *tabState {
	return &tabState{offers: make(chan struct{}, 1), next: 1}
}

// offer is the first number that nobody has. The main document counts from 1; others begin at a hundred.
func (s *tabState) offer() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

// took notes that the frame's document has the numbers from the offer up to top, exclusive. Whoever comes next begins
// at a hundred above, so that a child frame's marks are 100 and more however few the main document has.
func (s *tabState) took(frame proto.FrameID, offered, top int) {
	if top <= offered {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owners = append(s.owners, span{offered, top, frame})
	s.next = top
}

// owner is the frame that a mark was given in.
func (s *tabState) owner(mark int) (proto.FrameID, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := len(s.owners) - 1; i >= 0; i-- {
		if o := s.owners[i]; mark >= o.from && mark < o.to {
			return o.frame, true
		}
	}
	return "", false
}

// differs notes the page's signature and tells whether it is another than the one before, if there was one.
func (s *tabState) differs(signature string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := s.signature
	s.signature = signature
	return before != "" && before != signature
}
