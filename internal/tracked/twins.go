// SPDX-License-Identifier: Apache-2.0

package tracked

import "github.com/kplan-go/kplan/internal/paged"

// Twins are the objects of a list that have one text, such as a UID. Objects enter and leave, and
// some of the list may not be among them. The zero Twins are of none. A copy by assignment is of
// none of its own: see [Twins.Clone].
//
// As long as each text that enters is behind all before it, as those are that are counted, no two
// of them are equal, and nothing is kept but the last. From the first one on that is not, there is
// an index.
type Twins struct {
	index   paged.Index
	indexed bool
	last    string // that has entered
	// Pairs is how many pairs have one text. It is to be read only.
	Pairs int
}

// Enter is told that an object of the list is among them, and who else is, up to number n.
func (t *Twins) Enter(i, n int, among func(int) bool, text func(int) string) {
	own := text(i)
	if !t.indexed {
		if len(own) > len(t.last) || len(own) == len(t.last) && own > t.last { // shorter ones come first
			t.last = own
			return
		}
		t.indexed = true
		for j := range n {
			if j != i && among(j) {
				t.index.Add(j, text)
			}
		}
	}
	t.Pairs += t.index.Count(own, text)
	t.index.Add(i, text)
}

// Leave is told that one of them is not among them any more.
func (t *Twins) Leave(i int, text func(int) string) {
	if t.indexed {
		t.index.Remove(i, text)
		t.Pairs -= t.index.Count(text(i), text)
	}
}

// Move is told that one of them is to have another number. It still has its text under the old one.
func (t *Twins) Move(from, to int, text func(int) string) {
	if t.indexed {
		t.index.Move(from, to, text)
	}
}

// Clone returns twins of their own.
func (t *Twins) Clone() Twins {
	c := *t
	c.index = t.index.Clone()
	return c
}
