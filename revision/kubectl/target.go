// SPDX-License-Identifier: Apache-2.0

package kubectl

import "github.com/kplan-go/kplan/revision"

// A Request says where to go back to. The zero Request is the previous revision.
// Name wins over Number, and Number over Steps.
type Request struct {
	// Name of the entry. It can also name one without a revision.
	Name string `json:"name,omitzero"`
	// Number is a revision, present or former, 0 if unset. Negative numbers
	// are not found.
	Number int64 `json:"number,omitzero"`
	// Steps is how many records of [FullHistory] to go back from the current
	// revision, 0 if unset. Steps below 0 are not found.
	Steps int `json:"steps,omitzero"`
}

// Target returns the entry that a request means, given the one that is current: -1
// if the current template has no entry yet, so that the highest revision is the
// previous one. The target may be the current entry itself, if that once had
// the revision asked for.
//
// Without a name, number or steps the target is the entry with the highest revision
// but the current one, the youngest of equal ones. A revision that is missing or
// does not parse is 0.
//
// Unlike [UndoTarget] and [revision.PlanRollback] it never takes an entry for the current one
// because of its revision.
func Target(entries []revision.Entry, current int, r Request) (int, error) {
	switch {
	case r.Name != "":
		for i := range entries {
			if entries[i].Name == r.Name {
				return i, nil
			}
		}
		return -1, &Refusal{Reason: RefusedNotShown, Name: r.Name}
	case r.Number != 0:
		return targetNumber(entries, r.Number)
	case r.Steps != 0:
		return targetSteps(entries, current, r.Steps)
	}
	order := revision.ByRevision(entries, revision.Options{Repair: revision.UnreadableRevisionSortsByAge})
	for at := len(order) - 1; at >= 0; at-- {
		if order[at] != current {
			return order[at], nil
		}
	}
	return -1, &Refusal{Reason: RefusedNoLast}
}

func targetNumber(entries []revision.Entry, number int64) (int, error) {
	if number > 0 {
		if i := findEntry(entries, revision.ByAge(entries), number); i >= 0 {
			return i, nil
		}
	}
	for _, record := range FullHistory(entries) {
		if record.Number == number {
			return record.Entry, nil
		}
	}
	return -1, &Refusal{Reason: RefusedNotFound, Number: number}
}

func targetSteps(entries []revision.Entry, current, steps int) (int, error) {
	records := FullHistory(entries)
	at := len(records)
	for i, record := range records {
		if record.Entry == current && !record.Former {
			at = i
		}
	}
	if steps < 0 || steps > at {
		return -1, &Refusal{Reason: RefusedNoLast}
	}
	return records[at-steps].Entry, nil
}
