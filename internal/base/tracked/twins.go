// SPDX-License-Identifier: Apache-2.0

package tracked

import "github.com/kplan-go/kplan/internal/base/paged"

// Twins are the objects of a list that have one text, such as a UID. Objects enter and leave, and
// some of the list may not be among them. The zero Twins are of none. A copy by assignment is of
// none of its own: see [Twins.Clone].
//
// As long as each text that enters is behind all before it, as those are that are counted, no two
// of them are equal, and nothing is kept but the last. From the first one on that is not, there is
// an index of those that are alone. A text that a second one has is counted from then on, until
// nobody has it, so that none of many with one text is looked for among the others.
type Twins struct {
	alone   paged.Index
	indexed bool
	last    string // that has entered
	counter Counter
	// Shared is how many texts several have. It is to be read only.
	Shared int
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
				t.alone.Add(j, text)
			}
		}
	}
	switch t.counter.Of(own) {
	case 0:
		twin := t.alone.Find(own, text)
		if twin < 0 {
			t.alone.Add(i, text)
			return
		}
		t.alone.Remove(twin, text)
		t.counter.Add(own, 1)
		t.Shared++
	case 1:
		t.Shared++
	}
	t.counter.Add(own, 1)
}

// Leave is told that one of them is not among them any more.
func (t *Twins) Leave(i int, text func(int) string) {
	if !t.indexed {
		return
	}
	own := text(i)
	switch t.counter.Of(own) {
	case 0:
		t.alone.Remove(i, text)
		return
	case 2:
		t.Shared--
	}
	t.counter.Add(own, -1)
}

// Move is told that one of them is to have another number. It still has its text under the old one.
func (t *Twins) Move(from, to int, text func(int) string) {
	if t.indexed && t.counter.Of(text(from)) == 0 {
		t.alone.Move(from, to, text)
	}
}

// Clone returns twins of their own.
func (t *Twins) Clone() Twins {
	c := *t
	c.alone, c.counter = t.alone.Clone(), t.counter.Clone()
	return c
}
