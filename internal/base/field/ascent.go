// SPDX-License-Identifier: Apache-2.0

package field

import "strings"

// An ascent is told texts, one after another, and knows whether they ascend, so that none
// occurs twice: by name, as an API server lists objects, or with the shorter ones first, as
// those that are counted do. Empty texts are not compared.
type ascent struct {
	last               string
	unnamed, uncounted bool // do not ascend by name, or with the shorter ones first
}

func (a *ascent) add(text string) {
	if text == "" {
		return
	}
	longer := len(text) - len(a.last)
	a.uncounted = a.uncounted || longer < 0
	if longer == 0 || !a.unnamed { // or else the texts need not be looked at
		c := strings.Compare(text, a.last)
		a.unnamed = a.unnamed || c <= 0
		a.uncounted = a.uncounted || longer == 0 && c <= 0
	}
	a.last = text
}

// broken reports whether the texts do not ascend, which means nothing: all may be different
// still.
func (a *ascent) broken() bool { return a.unnamed && a.uncounted }

func broken() ascent { return ascent{unnamed: true, uncounted: true} }

func ascend(n int, text func(i int) string) bool {
	var a ascent
	for i := 0; i < n && !a.broken(); i++ {
		a.add(text(i))
	}
	return !a.broken()
}
