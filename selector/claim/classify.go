// SPDX-License-Identifier: Apache-2.0

package claim

// A Claim holds the decisions about all children of one owner. Children are given by their
// numbers, in ascending order.
type Claim struct {
	Keep        []int
	Adopt       []int
	Release     []int
	Terminating []int // ReasonTerminating, see [ClassifyActive]
}

// NeedsLiveCheck reports whether the owner must be read from the API server before the claim
// is carried out: whether any child is to be adopted. See [Resolve].
func (c Claim) NeedsLiveCheck() bool { return len(c.Adopt) > 0 }

// Changes reports whether the claim writes anything.
func (c Claim) Changes() bool { return len(c.Adopt)+len(c.Release) > 0 }

// Classify decides about n children with [Decide]. It calls child once for each, in order,
// and allocates one byte per child and the four lists.
func Classify(o *Owner, n int, child func(i int) Child) Claim {
	t := tally{codes: make([]code, max(n, 0))}
	for i := range n {
		c := child(i)
		t.add(i, Decide(o, &c))
	}
	return t.claim()
}

// ClassifyActive is [Classify] with [DecideActive].
func ClassifyActive(o *Owner, n int, child func(i int) Child) Claim {
	t := tally{codes: make([]code, max(n, 0))}
	for i := range n {
		c := child(i)
		t.add(i, DecideActive(o, &c))
	}
	return t.claim()
}

// A code determines which list a child belongs to.
type code uint8

const (
	codeNone code = iota
	codeKeep
	codeAdopt
	codeRelease
	codeTerminating
)

// A tally stores decisions in one byte each until the lists can be allocated with their
// sizes.
type tally struct {
	codes  []code
	counts [5]int
}

func (t *tally) add(i int, d Decision) {
	c := codeNone
	switch {
	case d.Verdict == Keep:
		c = codeKeep
	case d.Verdict == Adopt:
		c = codeAdopt
	case d.Verdict == Release:
		c = codeRelease
	case d.Reason == ReasonTerminating:
		c = codeTerminating
	}
	t.codes[i] = c
	t.counts[c]++
}

func (t *tally) claim() Claim {
	return Claim{
		Keep: t.list(codeKeep), Adopt: t.list(codeAdopt),
		Release: t.list(codeRelease), Terminating: t.list(codeTerminating),
	}
}

// list returns the children with the code, or nil if there are none.
func (t *tally) list(c code) []int {
	if t.counts[c] == 0 {
		return nil
	}
	list := make([]int, 0, t.counts[c])
	for i := range t.codes {
		if t.codes[i] == c {
			list = append(list, i)
		}
	}
	return list
}
