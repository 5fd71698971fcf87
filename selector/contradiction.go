package selector

import "slices"

// A Contradiction is requirements on one label that no label satisfies together,
// none of which can be left out.
type Contradiction struct {
	Key          string
	Requirements []Requirement
}

// Contradictions returns one contradiction for each key that makes the selector
// unsatisfiable, sorted by key. There are none for Nothing, which demands nothing
// of any label.
//
// For a contradiction among m of the k requirements on a key it intersects at most
// m*k of them.
func (s Selector) Contradictions() []Contradiction {
	var found []Contradiction
	rest := s.requirements
	for len(rest) > 0 {
		n := 1
		for n < len(rest) && rest[n].key == rest[0].key {
			n++
		}
		if f := factorOf(rest[:n]); !f.possible() {
			found = append(found, Contradiction{Key: f.key, Requirements: culprits(rest[:n])})
		}
		rest = rest[n:]
	}
	return found
}

func (f *factor) possible() bool {
	_, ok := f.pick()
	return ok
}

// culprits returns a smallest part of the requirements that is still impossible.
// Each round goes through those not yet known to belong to it until they are too
// many together with the known ones; the last one gone through belongs to it, and
// those behind it are not needed.
func culprits(requirements []Requirement) []Requirement {
	var known []int
	end := len(requirements)
	for range len(requirements) + 1 {
		f := free(requirements[0].key)
		for _, k := range known {
			f.narrow(&requirements[k])
		}
		if !f.possible() {
			break
		}
		for i := range end {
			f.narrow(&requirements[i])
			if !f.possible() {
				known = append(known, i)
				end = i
				break
			}
		}
	}
	slices.Sort(known)
	result := make([]Requirement, len(known))
	for i, k := range known {
		result[i] = requirements[k]
	}
	return result
}
