// SPDX-License-Identifier: Apache-2.0

// Package releases makes the README's table of the Kubernetes releases to which the planners are
// identical, from the records of full comparisons in this folder.
package releases

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strings"
)

// A Record is the extent of a comparison with one release in which nothing failed.
type Record struct {
	Kubernetes string         `json:"kubernetes"` // the release, such as 1.37.2
	Commit     string         `json:"commit"`     // of the compared planners
	Seed       int            `json:"seed"`
	Cases      int            `json:"cases"`     // of single functions
	Passes     int            `json:"passes"`    // whole passes of controllers
	Carried    int            `json:"carried"`   // passes that were carried out, also in chains
	Otherwise  []string       `json:"otherwise"` // differences of the release by default
	Intended   map[string]int `json:"intended"`  // how often each intended difference applied
}

// Join joins the partial records of single tests in a folder. They must have the same release,
// commit and seed.
func Join(folder fs.FS) (Record, error) {
	var all Record
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return all, err
	}
	if len(names) == 0 {
		return all, fmt.Errorf("no parts")
	}
	for i, name := range names {
		part, err := read(folder, name)
		if err != nil {
			return all, err
		}
		if i == 0 {
			all = Record{Kubernetes: part.Kubernetes, Commit: part.Commit, Seed: part.Seed, Otherwise: part.Otherwise, Intended: map[string]int{}}
		}
		if part.Kubernetes != all.Kubernetes || part.Commit != all.Commit || part.Seed != all.Seed {
			return all, fmt.Errorf("%s: of %s at commit %s with seed %d, others of %s at commit %s with seed %d",
				name, part.Kubernetes, part.Commit, part.Seed, all.Kubernetes, all.Commit, all.Seed)
		}
		all.Cases += part.Cases
		all.Passes += part.Passes
		all.Carried += part.Carried
		for difference, n := range part.Intended {
			all.Intended[difference] += n
		}
	}
	return all, nil
}

// commit matches a commit as git abbreviates it, without a suffix for local changes.
var commit = regexp.MustCompile(`^[0-9a-f]{8,40}$`)

func read(folder fs.FS, name string) (Record, error) {
	var r Record
	text, err := fs.ReadFile(folder, name)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s: %w", name, err)
	}
	if !commit.MatchString(r.Commit) {
		return r, fmt.Errorf("%s: %q is no commit", name, r.Commit)
	}
	return r, nil
}

// Begin and End enclose the table in the README.
const (
	Begin = "<!-- made by internal/verify/conformance/release.sh table -->\n"
	End   = "<!-- end of the table -->\n"
)

// Table returns the table of the records in a folder, the newest release first.
func Table(folder fs.FS) (string, error) {
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return "", err
	}
	slices.Reverse(names) // they are sorted
	var b strings.Builder
	b.WriteString(Begin + "| Kubernetes | compared at commit | cases of functions | passes | carried out | what it does otherwise by default |\n|---|---|---|---|---|---|\n")
	var newer Record
	for _, name := range names {
		r, err := read(folder, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s |\n", r.Kubernetes, r.Commit, number(r.Cases), number(r.Passes), number(r.Carried), r.beside(newer))
		newer = r
	}
	return b.String() + End, nil
}

// beside returns the differences of a release by default, or "nothing", and refers to the row of
// the newer release where it repeats it.
func (r Record) beside(newer Record) string {
	same := func(text string) bool { return slices.Contains(newer.Otherwise, text) }
	own := slices.DeleteFunc(slices.Clone(r.Otherwise), same)
	switch {
	case len(r.Otherwise) == 0:
		return "nothing"
	case len(newer.Otherwise) == 0 || len(r.Otherwise)-len(own) < len(newer.Otherwise):
		return strings.Join(r.Otherwise, "; ")
	}
	return strings.Join(append(own, "what "+newer.Kubernetes+" does"), "; ")
}

// number writes 1234567 as 1,234,567.
func number(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Replace returns a document with its table replaced.
func Replace(document string, folder fs.FS) (string, error) {
	before, rest, ok := strings.Cut(document, Begin)
	_, after, ok2 := strings.Cut(rest, End)
	if !ok || !ok2 {
		return "", fmt.Errorf("the document has no place for the table, from %q to %q", Begin, End)
	}
	table, err := Table(folder)
	return before + table + after, err
}
