// SPDX-License-Identifier: Apache-2.0

package field

import "strings"

// An Ascent is told texts, one after another, and knows whether they ascend, so that
// none occurs twice: by name, as an API server lists objects, or with the shorter ones
// first, as those that are counted do. Empty texts are not compared.
//
// It serves those who have each element at hand anyway, and saves them [Duplicate].
type Ascent struct {
	last               string
	unnamed, uncounted bool // do not ascend by name, or with the shorter ones first
}

// Add takes the next text.
func (a *Ascent) Add(text string) {
	if !a.Broken() {
		a.compare(text)
	}
}

// Broken reports whether the texts do not ascend, which means nothing: all may be
// different still.
func (a *Ascent) Broken() bool { return a.unnamed && a.uncounted }

func (a *Ascent) compare(text string) {
	if text == "" {
		return
	}
	longer, c := len(text)-len(a.last), strings.Compare(text, a.last)
	a.unnamed = a.unnamed || c <= 0
	a.uncounted = a.uncounted || longer < 0 || longer == 0 && c <= 0
	a.last = text
}

func ascend(n int, text func(i int) string) bool {
	var a Ascent
	for i := 0; i < n && !a.Broken(); i++ {
		a.compare(text(i))
	}
	return !a.Broken()
}
