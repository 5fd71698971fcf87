// SPDX-License-Identifier: Apache-2.0

package purity

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// A Row describes the effect of leaving out one field of the least snapshot of a planner.
type Row[S any] struct {
	Field string   // as in the comment of Snapshot; now for the time
	Edit  func(*S) // runs before the field is left out; nil changes nothing
	Leave func(*S) // leaves the field out; nil leaves out the time
	Err   string   // the error without the field; "" if there is a plan
	With  string   // text of the plan with the field, if there is a plan without it
	Less  string   // text of the plan without the field
}

// Least leaves out each field of the least snapshot: the planner must return the error of the row,
// or another plan. The rows must be the rows of the table in the comment of type Snapshot in file.
func Least[S any](t *testing.T, file string, least func() S, rows []Row[S], plan func(S, time.Time) (string, error), now time.Time) {
	t.Helper()
	var fields []string
	for _, row := range rows {
		fields = append(fields, row.Field)
		t.Run(row.Field, func(t *testing.T) { row.check(t, least(), plan, now) })
	}
	if want := Rows(t, file, "Snapshot"); !slices.Equal(want, fields) {
		t.Fatalf("the comment of Snapshot says\n%v, the test\n%v", want, fields)
	}
}

func (row *Row[S]) check(t *testing.T, s S, plan func(S, time.Time) (string, error), now time.Time) {
	if row.Edit != nil {
		row.Edit(&s)
	}
	text, err := plan(s, now)
	if err != nil || !strings.Contains(text, row.With) || row.Less != "" && strings.Contains(text, row.Less) {
		t.Fatalf("with it: %v\n%s\nwant %q and not %q", err, text, row.With, row.Less)
	}
	if row.Leave == nil {
		now = time.Time{}
	} else {
		row.Leave(&s)
	}
	text, err = plan(s, now)
	switch {
	case row.Err != "":
		if err == nil || err.Error() != row.Err {
			t.Fatalf("without it: %v\nwant %s", err, row.Err)
		}
	case row.With == "" || row.Less == "":
		t.Fatal("a row without an error says what the plan says with the field, and without")
	case err != nil || !strings.Contains(text, row.Less) || strings.Contains(text, row.With):
		t.Fatalf("without it: %v\n%s\nwant %q and not %q", err, text, row.Less, row.With)
	}
}
