// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"errors"
	"testing"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestUndoRevision(t *testing.T) {
	list := versions(version("c", 3), version("a", 1), version("b", 2))
	current := `{"v":"c"}`
	for _, c := range []struct {
		why     string
		list    []revision.ControllerRevision
		request int64
		want    string
	}{
		{"a negative number", list, -1, "unable to find specified revision -1 in history"},
		{"the second last", list, 0, "b: rolled back"},
		{"a number", list, 1, "a: rolled back"},
		{"the current one", list, 3, "c: skipped rollback (current template already matches revision 3)"},
		{"no such number", list, 4, "unable to find specified revision 4 in history"},
		{"only one", list[:1], 0, "no last revision to roll back to"},
		{"only one, by number", list[:1], 3, "c: skipped rollback (current template already matches revision 3)"},
		{"nothing", nil, 0, "no last revision to roll back to"},
		{"nothing, by number", nil, 1, "unable to find specified revision 1 in history"},
		{"equal numbers by age", versions(version("b", 2, born(2)), version("a", 2, born(1))), 0, "a: rolled back"},
		{"the first of equal numbers", versions(version("b", 2, born(2)), version("a", 2, born(1))), 2, "a: rolled back"},
		{"other bytes", versions(version("c", 3), version("b", 2, data(`{"v": "c"}`))), 0, "b: rolled back"},
	} {
		t.Run(c.why, func(t *testing.T) {
			u, err := kubectl.UndoRevision(c.list, []byte(current), c.request, revision.Options{})
			if err != nil {
				require.EqualError(t, err, c.want, c.why)
				require.Equal(t, -1, u.Source)
				return
			}
			requireSame(t, c.why, c.want, c.list[u.Source].Name+": "+u.String())
			require.Equal(t, c.list[u.Source].Revision, u.Number)
			require.Equal(t, c.request, u.Requested)
		})
	}
	u, err := kubectl.UndoRevision(versions(version("c", 3), version("b", 2, data(`{"v": "c"}`))), []byte(current), 0, repairAll)
	require.NoError(t, err)
	require.True(t, u.Skipped, "repaired it is the same")
}

func TestRevisionHistory(t *testing.T) {
	why := func(text string) func(*revision.ControllerRevision) {
		return func(r *revision.ControllerRevision) { r.Annotations = texts{kubectl.AnnotationChangeCause: text} }
	}
	list := versions(version("c", 3, why("third"), born(2)), version("a", 1), version("b", 3, born(1)))
	requireSame(t, "of equal numbers the last by age", []kubectl.Row{{Number: 1, Source: 1}, {Number: 3, Cause: "third"}},
		kubectl.RevisionHistory(list))
	require.Empty(t, kubectl.RevisionHistory(nil))
}

// Property: undo twice returns to where one started, also for StatefulSets.
func TestUndoRevisionTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := revision.StatefulSet{Name: "web"}
		var list []revision.ControllerRevision
		rollOut := func(text []byte) {
			s.Data = text
			c := revision.ChooseUpdate(s, list, nil, revision.Options{})
			switch c.Verb {
			case revision.VerbCreate:
				list = append(list, c.Revision)
			case revision.VerbRenumber:
				list[c.Update] = c.Revision
			}
		}
		for range rapid.IntRange(2, 6).Draw(t, "rollouts") {
			rollOut([]byte(rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "data")))
		}
		start := string(s.Data)
		for range 2 {
			u, err := kubectl.UndoRevision(list, s.Data, 0, revision.Options{})
			if err != nil {
				if len(list) > 1 {
					t.Fatal(err)
				}
				return
			}
			if u.Skipped {
				t.Fatal("the second last is the current one")
			}
			rollOut(list[u.Source].Data)
		}
		if string(s.Data) != start {
			t.Fatalf("two undos lead from %s to %s", start, s.Data)
		}
	})
}

func TestRefusalsAreTyped(t *testing.T) {
	_, err := kubectl.UndoRevision(nil, nil, 0, revision.Options{})
	var refusal *kubectl.Refusal
	require.True(t, errors.As(err, &refusal))
	require.Equal(t, kubectl.RefusedNoLast, refusal.Reason)
}
