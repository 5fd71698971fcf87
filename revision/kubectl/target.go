// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
)

// A Request selects the target of a rollback. The zero Request selects the previous revision. Name
// takes precedence over Number, and Number over Steps.
type Request struct {
	// Name is the name of an entry, which need not have a revision; "" if unset.
	Name string `json:"name,omitzero"`
	// Number is a present or former revision, 0 if unset. A negative number is an error.
	Number int64 `json:"number,omitzero"`
	// Steps is the number of records of [FullHistory] to go back from the current
	// revision, 0 if unset. A negative number is an error.
	Steps int `json:"steps,omitzero"`
}

// Target returns the index of the entry that a request selects. The argument current is the index
// of the entry with the Deployment's template, or -1 without one. The target may be this
// entry, if the request selects a former revision of it.
//
// The target of the zero Request is the entry with the highest revision other than current, the
// youngest of equals. A revision that is missing or does not parse counts as 0.
//
// Unlike [UndoTarget] and [revision.PlanRollback], Target does not assume that the highest revision
// is the current one. If there is no target, the result is -1 and a [Refusal].
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
	order := revision.ByRevision(entries, revision.Options{Repair: quirk.UnreadableRevisionSortsByAge})
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
