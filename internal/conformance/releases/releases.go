// SPDX-License-Identifier: Apache-2.0

// Package releases is the table of the README that says to which releases of Kubernetes
// the planners are identical, made from the records of full comparisons beside it.
package releases

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// A Record is what was compared with a release, when nothing failed.
type Record struct {
	Kubernetes string         `json:"kubernetes"` // the release, such as 1.37.2
	Seed       int            `json:"seed"`
	Cases      int            `json:"cases"`     // of single functions
	Passes     int            `json:"passes"`    // whole, of controllers
	Carried    int            `json:"carried"`   // passes that were carried out, and those of chains
	Otherwise  []string       `json:"otherwise"` // what the release does otherwise by default
	Intended   map[string]int `json:"intended"`  // how often each intended difference was met
}

// Begin and End are around the table in the README.
const (
	Begin = "<!-- made by internal/conformance/release.sh table -->\n"
	End   = "<!-- end of the table -->\n"
)

// Table is the table of the records in a folder, the newest release first.
func Table(folder fs.FS) (string, error) {
	names, err := fs.Glob(folder, "*.json")
	if err != nil {
		return "", err
	}
	slices.Reverse(names) // which are in order
	var b strings.Builder
	b.WriteString(Begin + "| Kubernetes | cases of functions | passes | carried out | what it does otherwise by default |\n|---|---|---|---|---|\n")
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		if err != nil {
			return "", err
		}
		var r Record
		if err := json.Unmarshal(text, &r); err != nil {
			return "", fmt.Errorf("%s: %w", name, err)
		}
		otherwise := "nothing"
		if len(r.Otherwise) > 0 {
			otherwise = strings.Join(r.Otherwise, "; ")
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.Kubernetes, number(r.Cases), number(r.Passes), number(r.Carried), otherwise)
	}
	return b.String() + End, nil
}

// number writes 1234567 as 1,234,567.
func number(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// Replace returns a document with the table in place of the one that it has.
func Replace(document string, folder fs.FS) (string, error) {
	before, rest, ok := strings.Cut(document, Begin)
	_, after, ok2 := strings.Cut(rest, End)
	if !ok || !ok2 {
		return "", fmt.Errorf("the document has no place for the table, from %q to %q", Begin, End)
	}
	table, err := Table(folder)
	return before + table + after, err
}
