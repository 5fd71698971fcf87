// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/revision"
)

// A Record is a revision with its entry.
type Record struct {
	Number int64 `json:"number"`
	Entry  int   `json:"entry"`
	// Former means that the number is from the history of the entry, which has
	// another number now.
	Former bool `json:"former,omitzero"`
}

// FullHistory returns all present and former revisions of the entries that parse and are
// above 0, lowest first. Revisions of deleted ReplicaSets are missing. kubectl shows only
// the present revision of each entry.
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
