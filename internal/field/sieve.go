// SPDX-License-Identifier: Apache-2.0

package field

import "math/bits"

// A Sieve is told texts, one after another, while each is at hand anyway, and nearly always
// knows that all are different, for less than [Duplicate] takes to find out which are not: it
// keeps nothing of a text but a hash of its end, which is where names and UIDs differ. Of many
// texts that do not ascend it only keeps the hashes, since a table that does not fit into the
// fast memory is better filled alone. Empty texts are not compared. The zero Sieve is for many.
type Sieve struct {
	slots  []uint32 // hash table with open addressing of hashes; 0 is empty
	passes int      // how many more slots may be passed by
	ascent ascent   // of many texts
	before int      // how many of them ascended, or may have
	marks  []uint32 // of all, those of the first before only from [Sieve.Duplicate] on
	n      int
}

// manyTexts is how many texts have no table.
const manyTexts = 1 << 13

// NewSieve returns a sieve for n texts.
func NewSieve(n int) Sieve {
	if n == 0 || n >= manyTexts {
		return Sieve{n: n}
	}
	return Sieve{slots: make([]uint32, 1<<bits.Len(uint(2*n))), passes: 4 * n}
}

// Add takes the next text.
func (s *Sieve) Add(text string) {
	switch {
	case s.slots != nil:
		s.add(text)
	case !s.ascent.broken():
		s.ascent.add(text)
		s.before++
	case s.n > 0:
		if s.marks == nil {
			s.marks = make([]uint32, s.before, max(s.n, s.before))
		}
		s.marks = append(s.marks, mark(text))
	}
}

func (s *Sieve) add(text string) {
	if text == "" {
		return
	}
	h := tailHash(text)
	mark, mask := uint32(h)|1, uint64(len(s.slots)-1)
	for i := h >> 32 & mask; ; i = (i + 1) & mask {
		switch s.slots[i] {
		case 0:
			s.slots[i] = mark
			return
		case mark:
			s.passes = 0 // they may be the same
		}
		if s.passes--; s.passes < 0 {
			*s = Sieve{ascent: broken()}
			return
		}
	}
}

// Different reports whether all texts are certainly different. If not, they may be still.
func (s *Sieve) Different() bool { return s.slots != nil || !s.ascent.broken() }

// Duplicate is [Duplicate] for the n texts that the sieve has been told of, those that are not
// compared among them.
func (s *Sieve) Duplicate(n int, text func(i int) string) (first, second int, found bool) {
	if s.Different() {
		return 0, 0, false
	}
	if len(s.marks) != n {
		return Duplicate(n, text)
	}
	for i := range s.before {
		s.marks[i] = mark(text(i))
	}
	return duplicateOfMany(s.marks, text)
}

func tailHash(s string) uint64 {
	if n := len(s); n >= 8 {
		return mix(word(s[n-8:]), uint64(n))
	}
	return uint64(Hash(s)) * 0x9e3779b97f4a7c15
}
