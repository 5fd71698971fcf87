// SPDX-License-Identifier: Apache-2.0

package tracked

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestTwinsOfOneText: those that have one text are not looked at one by one as others come and go.
func TestTwinsOfOneText(t *testing.T) {
	const n = 1_000
	looks := 0
	text := func(int) string {
		looks++
		return "one"
	}
	all := func(int) bool { return true }
	var twins Twins
	for i := range n {
		twins.Enter(i, i+1, all, text)
	}
	for i := range n - 1 {
		twins.Move(n-1-i, n-1-i, text)
		twins.Leave(n-1-i, text)
	}
	require.Zero(t, twins.Shared)
	require.Less(t, looks, 20*n)
}

// TestPropertyTwins: it is known whether several have one text, as some of a list enter, leave and take
// the places of others; and so it is to a clone of then.
func TestPropertyTwins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var twins, before Twins
		var list, then []string // "" is not among them
		text := func(i int) string { return list[i] }
		among := func(i int) bool { return list[i] != "" }
		check := func(twins *Twins, list []string) {
			times, shared := map[string]int{}, 0
			for _, text := range list {
				if times[text]++; text != "" && times[text] == 2 {
					shared++
				}
			}
			if twins.Shared != shared {
				t.Fatalf("%d are shared of %q", twins.Shared, list)
			}
		}
		for range rapid.IntRange(0, 60).Draw(t, "steps") {
			switch n := len(list); {
			case n > 0 && rapid.IntRange(0, 2).Draw(t, "leave") == 0:
				i, last := rapid.IntRange(0, n-1).Draw(t, "which"), n-1
				if among(i) {
					twins.Leave(i, text)
				}
				if i != last && among(last) {
					twins.Move(last, i, text)
				}
				list[i] = list[last]
				list = list[:last]
			case rapid.IntRange(0, 20).Draw(t, "clone") == 0:
				before, then = twins.Clone(), append([]string(nil), list...)
			default:
				list = append(list, []string{"", strconv.Itoa(n), strconv.Itoa(rapid.IntRange(0, 4).Draw(t, "text"))}[rapid.IntRange(0, 2).Draw(t, "kind")])
				if among(n) {
					twins.Enter(n, n+1, among, text)
				}
			}
			check(&twins, list)
		}
		check(&before, then)
	})
}
