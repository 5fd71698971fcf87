// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/revision"
)

// A Record is a present or former revision of an entry.
type Record struct {
	Number int64 `json:"number"` // the revision
	Entry  int   `json:"entry"`  // the index of the entry
	// Former means that the number is in the entry's [revision.AnnotationHistory].
	Former bool `json:"former,omitzero"`
}

// FullHistory returns the present and former revisions of the entries, lowest first. It leaves out
// revisions that do not parse or are below 1. Revisions of deleted ReplicaSets are missing. kubectl
// shows only the present revision of each entry. Of equal revisions, former ones come first, and
// then those of older entries.
//
//	A has revision 3 and history "1", B has revision 2: 1 is A, 2 is B, 3 is A
func FullHistory(entries []revision.Entry) []Record {
	ages := make([]int, len(entries))
	var records []Record
	for age, i := range revision.ByAge(entries) {
		ages[i] = age
		if n, err := revision.Number(entries[i].Annotations); err == nil && n > 0 {
			records = append(records, Record{Number: n, Entry: i})
		}
		for text := range strings.SplitSeq(entries[i].Annotations[revision.AnnotationHistory], ",") {
			if n, err := strconv.ParseInt(text, 10, 64); err == nil && n > 0 {
				records = append(records, Record{Number: n, Entry: i, Former: true})
			}
		}
	}
	slices.SortStableFunc(records, func(a, b Record) int {
		return cmp.Or(cmp.Compare(a.Number, b.Number), compareBool(b.Former, a.Former), cmp.Compare(ages[a.Entry], ages[b.Entry]))
	})
	return slices.Compact(records)
}

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case b:
		return -1
	}
	return 1
}
