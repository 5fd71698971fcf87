// SPDX-License-Identifier: Apache-2.0

package tracked

import "github.com/kplan-go/kplan/internal/base/paged"

// Duplicates count the texts, such as UIDs, that several objects of a list share. Objects enter and
// leave, and need not be all objects of the list. The zero Duplicates are empty. Copy them with
// [Duplicates.Clone]: an assignment shares memory with the original.
//
// While each text that enters is greater than the text before it, as with counted UIDs, no two
// texts are equal, and Duplicates keep only the last text. The first text out of order starts an
// index of all objects with a unique text. Once a text is shared, it is counted instead, until all
// its objects have left: a search in the index then never meets a long run of equal texts.
type Duplicates struct {
	unique  paged.Index
	indexed bool
	last    string // the last text that entered in order
	counter Counter
	// Shared is the number of texts that several objects have. Callers only read it.
	Shared int
}

// Enter adds object i of a list. Entered reports which of the first n objects have entered.
func (t *Duplicates) Enter(i, n int, entered func(int) bool, text func(int) string) {
	own := text(i)
	if !t.indexed {
		if len(own) > len(t.last) || len(own) == len(t.last) && own > t.last { // shorter texts come first
			t.last = own
			return
		}
		t.indexed = true
		for j := range n {
			if j != i && entered(j) {
				t.unique.Add(j, text)
			}
		}
	}
	switch t.counter.Of(own) {
	case 0:
		other := t.unique.Find(own, text)
		if other < 0 {
			t.unique.Add(i, text)
			return
		}
		t.unique.Remove(other, text)
		t.counter.Add(own, 1)
		t.Shared++
	case 1:
		t.Shared++
	}
	t.counter.Add(own, 1)
}

// Leave removes an object.
func (t *Duplicates) Leave(i int, text func(int) string) {
	if !t.indexed {
		return
	}
	own := text(i)
	switch t.counter.Of(own) {
	case 0:
		t.unique.Remove(i, text)
		return
	case 2:
		t.Shared--
	}
	t.counter.Add(own, -1)
}

// Move gives an object another number. Text still returns its text for the old number.
func (t *Duplicates) Move(from, to int, text func(int) string) {
	if t.indexed && t.counter.Of(text(from)) == 0 {
		t.unique.Move(from, to, text)
	}
}

// Clone returns an independent copy.
func (t *Duplicates) Clone() Duplicates {
	c := *t
	c.unique, c.counter = t.unique.Clone(), t.counter.Clone()
	return c
}
