// SPDX-License-Identifier: Apache-2.0

package field

import "math/bits"

// A Sieve is told texts, one after another, while each is at hand anyway, and nearly always
// knows that all are different, for less than [Duplicate] takes to find out which are not: it
// keeps nothing of a text but a hash of its end, which is where names and UIDs differ. Of many
// texts that do not ascend it only keeps the hashes, since a table that does not fit into the
// fast memory is better filled alone. Empty texts are not compared. The zero Sieve is for many.
type Sieve struct {
	n      int              // texts, 0 for many
	few    [fewTexts]uint64 // ends of few texts
	seen   int              // how many of these there are
	slots  []uint32         // hash table with open addressing of hashes; 0 is empty
	passes int              // how many more slots may be passed by
	ascent ascent           // of many texts, broken if fewer may be the same
	before int              // how many of many texts ascended, or may have
	marks  []uint32         // of all of them, those of the first before only from [Sieve.Duplicate] on
}

// fewTexts is how many texts are compared each with each, and manyTexts is how many have no table.
const (
	fewTexts  = 12
	manyTexts = 1 << 13
)

// NewSieve returns a sieve for n texts.
func NewSieve(n int) Sieve {
	if n <= fewTexts || n >= manyTexts {
		return Sieve{n: n}
	}
	return Sieve{n: n, slots: make([]uint32, 1<<bits.Len(uint(2*n))), passes: 4 * n}
}

// Add takes the next text.
func (s *Sieve) Add(text string) {
	switch {
	case s.slots != nil:
		s.add(text)
	case s.n > 0 && s.n <= fewTexts:
		s.addFew(text)
	case !s.ascent.broken():
		s.ascent.add(text)
		s.before++
	case s.n >= manyTexts:
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

func (s *Sieve) addFew(text string) {
	if text == "" {
		return
	}
	end := uint64(0)
	switch n := len(text); {
	case n >= 8:
		end = word(text[n-8:])
	case n >= 4:
		end = half(text)<<32 | half(text[n-4:])
	default:
		end = uint64(text[0])<<16 | uint64(text[n/2])<<8 | uint64(text[n-1])
	}
	end += uint64(len(text)) * 0x9e3779b97f4a7c15
	for _, other := range s.few[:s.seen] {
		if other == end {
			s.ascent = broken()
		}
	}
	if s.seen == len(s.few) { // more than there were to be
		s.ascent = broken()
		return
	}
	s.few[s.seen] = end
	s.seen++
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
