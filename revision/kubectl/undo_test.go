// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"errors"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/kubectl"
)

func TestUndo(t *testing.T) {
	const notFound = "unable to find specified revision 1 in history"
	const none = `no rollout history found for deployment "web"`
	const same = "skipped rollback (current template already matches revision 1)"
	// The last entry is the current one.
	for _, c := range []struct {
		why            string
		numbers        []string
		undo, undoText string
		to1, to1Text   string
	}{
		{"back and forth", []string{"1", "2"}, "a", "rolled back", "a", "rolled back"},
		{"after an undo from 1 to 3", []string{"2", "3"}, "a", "rolled back", "none", notFound},
		{"revision 1 is the second highest, wherever it stands", []string{"2", "1"}, "b", "skipped rollback (current template already matches revision 0)", "b", "skipped rollback (current template already matches revision 1)"},
		{"only one", []string{"1"}, "none", none, "a", same},
		{"one without a revision qualifies", []string{"-", "2"}, "a", "rolled back", "none", notFound},
		{"equal ones: the second in the list", []string{"5", "5"}, "b", "skipped rollback (current template already matches revision 0)", "none", notFound},
		{"the second highest, not the one before", []string{"4", "2", "3", "5"}, "a", "rolled back", "none", notFound},
		{"in any order", []string{"5", "3", "4"}, "c", "skipped rollback (current template already matches revision 0)", "none", notFound},
		{"one that does not parse does not count", []string{"bad", "2"}, "none", none, "none", notFound},
		{"nor does a negative one", []string{"-1", "-2"}, "none", none, "none", notFound},
		{"nothing", nil, "none", none, "none", notFound},
	} {
		t.Run(c.why, func(t *testing.T) {
			list := entries(c.numbers...)
			w := revision.Workload{Name: "web", Template: template(string(rune('a' + max(len(list)-1, 0))))}
			for _, want := range []struct {
				request      int64
				source, text string
			}{{0, c.undo, c.undoText}, {1, c.to1, c.to1Text}} {
				u, err := kubectl.PlanUndo(w, list, want.request, revision.Options{})
				requireSame(t, c.why, want.source, nameOf(list, u.Source))
				if err != nil {
					require.EqualError(t, err, want.text, c.why)
					continue
				}
				requireSame(t, c.why, want.text, u.String())
				requireSame(t, c.why, want.request, u.Requested)
				n, _ := revision.Number(list[u.Source].Annotations)
				requireSame(t, c.why, n, u.Number)
			}
		})
	}
}

func TestUndoRefused(t *testing.T) {
	const paused = "you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again"
	list := entries("1", "2")
	for _, c := range []struct {
		why     string
		paused  bool
		request int64
		want    string
		reason  kubectl.RefusalReason
	}{
		{"a negative revision, before all else", true, -1, "unable to find specified revision -1 in history", kubectl.RefusedNotFound},
		{"no such revision, before it is paused", true, 7, "unable to find specified revision 7 in history", kubectl.RefusedNotFound},
		{"a paused Deployment", true, 1, paused, kubectl.RefusedUndoPaused},
		{"even if the template is the same", true, 2, paused, kubectl.RefusedUndoPaused},
	} {
		t.Run(c.why, func(t *testing.T) {
			w := revision.Workload{Name: "web", Template: template("b"), Paused: c.paused}
			u, err := kubectl.PlanUndo(w, list, c.request, revision.Options{})
			require.EqualError(t, err, c.want, c.why)
			require.Equal(t, -1, u.Source)
			var refusal *kubectl.Refusal
			require.ErrorAs(t, err, &refusal)
			require.Equal(t, c.reason, refusal.Reason)
			require.Equal(t, "web", refusal.Name)
			if c.reason != kubectl.RefusedUndoPaused {
				i, err := kubectl.UndoTarget(w, list, c.request)
				require.Error(t, err)
				require.Equal(t, -1, i, "no entry")
			}
		})
	}
	i, err := kubectl.UndoTarget(revision.Workload{Template: template("a")}, entries("1"), 0)
	require.Error(t, err)
	require.Equal(t, -1, i, "no entry without a history")
	i, err = kubectl.UndoTarget(revision.Workload{Paused: true, Template: template("b")}, list, 1)
	require.NoError(t, err, "a dry run shows the template of a paused Deployment")
	require.Equal(t, 0, i)
}

func TestUndoAnnotations(t *testing.T) {
	list := []revision.Entry{entry("a", "1", annotation("cause", "old"), annotation(revision.AnnotationDesired, "3")), entry("b", "2", at(1))}
	w := revision.Workload{Template: template("b"), Annotations: texts{
		"cause": "new", "mine": "x", revision.AnnotationRevision: "2", revision.AnnotationLastApplied: "{}",
	}}
	u, err := kubectl.PlanUndo(w, list, 0, revision.Options{})
	require.NoError(t, err)
	require.Equal(t, texts{"cause": "old", revision.AnnotationRevision: "2", revision.AnnotationLastApplied: "{}"}, u.Annotations)
	require.True(t, u.LastApplied, "kubectl warns that the next apply may bring it back")
	u, err = kubectl.PlanUndo(w, list, 0, keep)
	require.NoError(t, err)
	require.Equal(t, "x", u.Annotations["mine"], "what the target lacks stays")
	u, err = kubectl.PlanUndo(w, list, 2, revision.Options{})
	require.NoError(t, err)
	require.True(t, u.Skipped)
	require.Nil(t, u.Annotations, "nothing is written")
	cause := errors.New("conflict")
	failed := kubectl.Undo{Requested: 3}.Failed(cause)
	require.EqualError(t, failed, "failed restoring revision 3: conflict")
	require.ErrorIs(t, failed, cause)
}

// Property: an undo twice returns to where one started, however the history came
// about.
func TestUndoTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := revision.Workload{Name: "web"}
		var list []revision.Entry
		for range rapid.IntRange(2, 8).Draw(t, "rollouts") {
			w.Template = template(rapid.SampledFrom([]string{"v", "w", "x", "y", "z"}).Draw(t, "template"))
			follow(&w, &list)
		}
		if len(list) < 2 {
			return
		}
		for _, undo := range []func() (int, error){
			func() (int, error) {
				u, err := kubectl.PlanUndo(w, list, 0, revision.Options{})
				return u.Source, err
			},
			func() (int, error) {
				current, _ := revision.Split(list, w.Template)
				return kubectl.Target(list, current, kubectl.Request{})
			},
			func() (int, error) {
				r := revision.PlanRollback(w, list, 0, revision.Options{})
				if r.Reason != revision.RollbackDone {
					return r.Source, errors.New(string(r.Reason))
				}
				return r.Source, nil
			},
		} {
			start := w.Template
			for round := range 2 {
				source, err := undo()
				if err != nil {
					t.Fatal(err)
				}
				if list[source].Template.Same(w.Template) {
					t.Fatalf("undo %d goes to the current template", round)
				}
				w.Template = list[source].Template
				follow(&w, &list)
			}
			if !start.Same(w.Template) {
				t.Fatalf("two undos lead from %v to %v", start, w.Template)
			}
		}
	})
}

func TestFullHistory(t *testing.T) {
	aba := []revision.Entry{entry("a", "3", at(0), annotation(revision.AnnotationHistory, "1")), entry("b", "2", at(1))}
	for _, c := range []struct {
		why  string
		list []revision.Entry
		want []string
	}{
		{"nothing", nil, nil},
		{"revision 1 is not lost", aba, []string{"1 a former", "2 b", "3 a"}},
		{"entries that do not parse are skipped", []revision.Entry{entry("a", "bad", annotation(revision.AnnotationHistory, "1,,x, 2,4"))},
			[]string{"1 a former", "4 a former"}},
		{"0 and less are no revisions", []revision.Entry{entry("a", "-"), entry("b", "-1", annotation(revision.AnnotationHistory, "0,-2"))}, nil},
		{"of equal ones the former first, then the older",
			[]revision.Entry{entry("a", "5", at(1)), entry("b", "5", at(0)), entry("c", "6", at(2), annotation(revision.AnnotationHistory, "5"))},
			[]string{"5 c former", "5 b", "5 a", "6 c"}},
		{"said twice, listed once", []revision.Entry{entry("a", "9", annotation(revision.AnnotationHistory, "3,3,1"))},
			[]string{"1 a former", "3 a former", "9 a"}},
	} {
		t.Run(c.why, func(t *testing.T) {
			var got []string
			for _, r := range kubectl.FullHistory(c.list) {
				text := strconv.FormatInt(r.Number, 10) + " " + c.list[r.Entry].Name
				if r.Former {
					text += " former"
				}
				got = append(got, text)
			}
			requireSame(t, c.why, c.want, got)
		})
	}
}

// Property: as long as nothing is deleted, every revision from 1 on is recorded
// exactly once, whatever was rolled out in which order.
func TestFullHistoryComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var w revision.Workload
		var list []revision.Entry
		var rolledOut []string
		for range rapid.IntRange(0, 12).Draw(t, "rollouts") {
			id := rapid.SampledFrom([]string{"x", "y", "z"}).Draw(t, "template")
			if w.Template.ID != id {
				rolledOut = append(rolledOut, id)
			}
			w.Template = template(id)
			follow(&w, &list)
		}
		records := kubectl.FullHistory(list)
		if len(records) != len(rolledOut) {
			t.Fatalf("%d records of %d rollouts", len(records), len(rolledOut))
		}
		for i, r := range records {
			if r.Number != int64(i+1) || list[r.Entry].Template.ID != rolledOut[i] {
				t.Fatalf("record %d is %v, rolled out was %s", i, r, rolledOut[i])
			}
			current, _ := revision.Split(list, w.Template)
			target, err := kubectl.Target(list, current, kubectl.Request{Number: r.Number})
			if err != nil || target != r.Entry {
				t.Fatalf("revision %d leads to %d, %v", r.Number, target, err)
			}
			steps := len(records) - 1 - i
			if steps == 0 {
				continue
			}
			if target, err = kubectl.Target(list, current, kubectl.Request{Steps: steps}); err != nil || target != r.Entry {
				t.Fatalf("%d steps back lead to %d, %v", steps, target, err)
			}
		}
	})
}

func FuzzFullHistory(f *testing.F) {
	f.Add("3", "1,2", "x")
	f.Add("", ",,", "9223372036854775808")
	f.Add("-", "5,5,4", "5")
	f.Fuzz(func(t *testing.T, number, history, other string) {
		list := []revision.Entry{
			entry("a", number, annotation(revision.AnnotationHistory, history)),
			entry("b", other, at(1), annotation(revision.AnnotationHistory, number)),
		}
		records := kubectl.FullHistory(list)
		for i, r := range records {
			require.Positive(t, r.Number)
			require.False(t, i > 0 && records[i-1].Number > r.Number, "lowest first")
			_, err := kubectl.Target(list, -1, kubectl.Request{Number: r.Number})
			require.NoError(t, err, "each is found")
		}
		_, err := kubectl.Target(list, -1, kubectl.Request{})
		require.NoError(t, err, "there is always a previous one")
	})
}

func TestTarget(t *testing.T) {
	aba := []revision.Entry{entry("a", "3", at(0), annotation(revision.AnnotationHistory, "1")), entry("b", "2", at(1))}
	for _, c := range []struct {
		why     string
		list    []revision.Entry
		current string
		request kubectl.Request
		want    string
		refused string
	}{
		{"the previous one", entries("1", "2"), "b", kubectl.Request{}, "a", ""},
		{"an edited template without an entry: the one that runs, where kubectl takes the one before", entries("1", "2"), "none",
			kubectl.Request{}, "b", ""},
		{"one without a revision, where the controller finds none", entries("-", "2"), "b", kubectl.Request{}, "a", ""},
		{"of equal ones the other, where kubectl takes the current one", entries("5", "5"), "b", kubectl.Request{}, "a", ""},
		{"the youngest of equal ones", entries("5", "5", "6"), "c", kubectl.Request{}, "b", ""},
		{"only one, and it is current", entries("1"), "a", kubectl.Request{}, "none", "no last revision to roll back to"},
		{"nothing", nil, "none", kubectl.Request{}, "none", "no last revision to roll back to"},
		{"a number", entries("1", "2", "3"), "c", kubectl.Request{Number: 1}, "a", ""},
		{"of equal numbers the oldest", entries("5", "5"), "b", kubectl.Request{Number: 5}, "a", ""},
		{"a former number, which kubectl does not find", aba, "a", kubectl.Request{Number: 1}, "a", ""},
		{"a present number wins over a former one", []revision.Entry{entry("a", "3", annotation(revision.AnnotationHistory, "2")), entry("b", "2", at(1))},
			"a", kubectl.Request{Number: 2}, "b", ""},
		{"no such number", aba, "a", kubectl.Request{Number: 9}, "none", "unable to find specified revision 9 in history"},
		{"negative numbers are not looked for", entries("-3", "2"), "b", kubectl.Request{Number: -3}, "none",
			"unable to find specified revision -3 in history"},
		{"one step", aba, "a", kubectl.Request{Steps: 1}, "b", ""},
		{"two steps", aba, "a", kubectl.Request{Steps: 2}, "a", ""},
		{"no further", aba, "a", kubectl.Request{Steps: 3}, "none", "no last revision to roll back to"},
		{"steps from a template without an entry", aba, "none", kubectl.Request{Steps: 1}, "a", ""},
		{"steps from an older one", entries("1", "2", "3"), "b", kubectl.Request{Steps: 1}, "a", ""},
		{"from its present number, even if it had a higher one",
			[]revision.Entry{entry("a", "2", annotation(revision.AnnotationHistory, "5")), entry("b", "3", at(1))},
			"a", kubectl.Request{Steps: 1}, "none", "no last revision to roll back to"},
		{"no steps forward", aba, "a", kubectl.Request{Steps: -1}, "none", "no last revision to roll back to"},
		{"by name, without a revision", entries("-", "2"), "b", kubectl.Request{Name: "a", Number: 2}, "a", ""},
		{"no such name", entries("1"), "a", kubectl.Request{Name: "z"}, "none", "unable to find the specified revision"},
	} {
		t.Run(c.why, func(t *testing.T) {
			current := -1
			for i := range c.list {
				if c.list[i].Name == c.current {
					current = i
				}
			}
			got, err := kubectl.Target(c.list, current, c.request)
			requireSame(t, c.why, c.want, nameOf(c.list, got))
			if c.refused != "" {
				require.EqualError(t, err, c.refused, c.why)
				return
			}
			require.NoError(t, err, c.why)
		})
	}
}

// Both ways: kubectl before the controller has made an entry for an edited
// template goes to revision 1 and skips 2, which runs.
func TestUndoOfAnEdit(t *testing.T) {
	list := entries("1", "2")
	w := revision.Workload{Template: template("edited")}
	u, err := kubectl.PlanUndo(w, list, 0, revision.Options{})
	require.NoError(t, err)
	require.Equal(t, "a", nameOf(list, u.Source))
	current, _ := revision.Split(list, w.Template)
	i, err := kubectl.Target(list, current, kubectl.Request{})
	require.NoError(t, err)
	require.Equal(t, "b", nameOf(list, i))
}
