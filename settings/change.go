package settings

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"time"
)

// open reads the file for the first time and sweeps its folder, which it makes when there is none.
func (f *file) open() (document, Report, error) {
	if err := os.MkdirAll(f.dir, 0o700); err != nil {
		return document{}, Report{}, fmt.Errorf("making the settings folder: %w", err)
	}
	f.sweep()
	doc := shipped(f.fields)
	l := f.load(doc, doc.values)
	r := Report{Unknown: l.doc.unknownKeys(), Broken: l.aside, Problems: append([]string{}, l.problems...)}
	if l.exists {
		r.SavedAt = stamp(l.modified)
	}
	if l.exists && l.aside != "" && l.stuck == nil {
		// Written at once, so that the good values also hold at the next start and the bad ones are met only once.
		r.saved(f.save(l.doc), f.now())
	}
	return l.doc, r, nil
}

// change reads the file again, adopts what a person wrote into it meanwhile, lets edit change the values and saves
// the result, which it returns. before is the file as this process knows it; vet may take back adopted values and
// says what it took back. On an error nothing has changed on disk, except that a damaged file was set aside.
func (f *file) change(before document, r *Report, vet func(read document) []string,
	edit func(now map[string]any) error) (document, error) {
	if err := edit(maps.Clone(before.values)); err != nil {
		return document{}, err // nothing to save, so the disk is left alone
	}
	// A file that somebody removed is written anew from what holds: removing it is not a way to change a running policy.
	l := f.load(before, before.values)
	doc := l.doc.clone()
	problems := append(l.problems, vet(doc)...)
	if len(problems) > 0 {
		r.Problems = problems
	}
	if l.aside != "" {
		r.Broken = l.aside
	}
	if err := edit(doc.values); err != nil {
		return document{}, err
	}
	err := l.stuck
	if err != nil {
		err = &SaveError{File: f.name, Reason: "a damaged file is in the way, and " + reason(err), Err: err}
	} else {
		err = f.save(doc)
	}
	r.saved(err, f.now())
	if err != nil {
		return document{}, err
	}
	r.Unknown = doc.unknownKeys()
	return doc, nil
}

// saved notes how a save ended.
func (r *Report) saved(err error, at time.Time) {
	if err == nil {
		r.SaveError, r.SavedAt = "", stamp(at)
		return
	}
	r.SaveError = err.Error()
	if e, ok := errors.AsType[*SaveError](err); ok {
		r.SaveError = "This change was not saved: " + e.Reason + "."
	}
}

// stamp is t as every surface shows it: UTC, milliseconds.
func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }
