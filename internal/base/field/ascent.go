// SPDX-License-Identifier: Apache-2.0

package field

import "strings"

// An ascent reports whether texts ascend, so that no text occurs twice: either by name, as an API
// server lists objects, or shorter ones first, as counted names do. Empty texts are skipped.
type ascent struct {
	last               string
	unnamed, uncounted bool // the order by name, or shorter texts first, is broken
}

func (a *ascent) add(text string) {
	if text == "" {
		return
	}
	longer := len(text) - len(a.last)
	a.uncounted = a.uncounted || longer < 0
	if longer == 0 || !a.unnamed { // otherwise the lengths decide
		c := strings.Compare(text, a.last)
		a.unnamed = a.unnamed || c <= 0
		a.uncounted = a.uncounted || longer == 0 && c <= 0
	}
	a.last = text
}

// broken reports whether the texts ascend in neither order. They may still be all different.
func (a *ascent) broken() bool { return a.unnamed && a.uncounted }

func broken() ascent { return ascent{unnamed: true, uncounted: true} }

func ascend(n int, text func(i int) string) bool {
	var a ascent
	for i := 0; i < n && !a.broken(); i++ {
		a.add(text(i))
	}
	return !a.broken()
}
