package page

import "testing"

func TestNumbersAreNeverGivenTwice(t *testing.T) {
	s := newTabState()
	if from := s.offer(); from != 1 {
		t.Fatalf("the first number is %d", from)
	}
	s.took("main", 1, 100)
	s.took("child", s.offer(), 200)
	s.took("main", s.offer(), 500)
	s.took("other", s.offer(), 500) // Took none.
	for mark, want := range map[int]string{1: "main", 99: "main", 100: "child", 199: "child", 200: "main", 499: "main", 500: ""} {
		frame, ok := s.owner(mark)
		if string(frame) != want || ok != (want != "") {
			t.Errorf("mark %d: %q %v, want %q", mark, frame, ok, want)
		}
	}
	if from := s.offer(); from != 500 {
		t.Errorf("the next number is %d", from)
	}
}

func TestPageStateNoticesAnotherSignature(t *testing.T) {
	s := newTabState()
	for i, step := range []struct {
		signature string
		differs   bool
	}{{"a", false}, {"a", false}, {"b", true}, {"b", false}} {
		if s.differs(step.signature) != step.differs {
			t.Errorf("step %d: %q compared wrongly", i, step.signature)
		}
	}
}

func TestWebpSize(t *testing.T) {
	lossy := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00\x00\x00\x00\x9d\x01\x2a"), 0x40, 0x01, 0xf0, 0x00)
	if w, h := webpSize(lossy); w != 320 || h != 240 {
		t.Errorf("lossy: %d×%d", w, h)
	}
	extended := append([]byte("RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00"), 0x3f, 0x01, 0x00, 0xef, 0x00, 0x00)
	if w, h := webpSize(extended); w != 320 || h != 240 {
		t.Errorf("extended: %d×%d", w, h)
	}
	if w, h := webpSize([]byte("RIFF")); w != 0 || h != 0 {
		t.Errorf("nothing: %d×%d", w, h)
	}
}

func TestCursor(t *testing.T) {
	if at, of, err := readCursor(cursor(12, 40)); at != 12 || of != 40 || err != nil {
		t.Errorf("there and back: %d %d %v", at, of, err)
	}
	for _, bad := range []string{"x", "1", "-1-4", "1-", "1-2-3"} {
		if _, _, err := readCursor(bad); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

func TestGoRegexp(t *testing.T) {
	for in, match := range map[string]string{"Total: \\d+": "Total: 12", "/total/i": "Total", "/a\\/b/": "a/b"} {
		re, err := goRegexp(in)
		if err != nil || !re.MatchString(match) {
			t.Errorf("%s: %v", in, err)
		}
	}
	if _, err := goRegexp("(?<=a)b"); err == nil {
		t.Error("lookbehind was accepted")
	}
}
