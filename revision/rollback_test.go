// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/revision"
)

var keep = revision.Options{KeepAnnotations: true}

func TestRollbackRequest(t *testing.T) {
	for _, c := range []struct {
		why         string
		annotations texts
		want        int64
		ok          bool
	}{
		{"no annotations", nil, 0, false},
		{"not this one", texts{"a": "1"}, 0, false},
		{"empty is none", texts{revision.AnnotationRollback: ""}, 0, false},
		{"0 is the last revision", texts{revision.AnnotationRollback: "0"}, 0, true},
		{"a number", texts{revision.AnnotationRollback: "3"}, 3, true},
		{"a sign is allowed", texts{revision.AnnotationRollback: "+4"}, 4, true},
		{"negative ones are accepted", texts{revision.AnnotationRollback: "-3"}, -3, true},
		{"a blank is not", texts{revision.AnnotationRollback: " 4"}, 0, false},
		{"nor are words", texts{revision.AnnotationRollback: "last"}, 0, false},
		{"the largest", texts{revision.AnnotationRollback: "9223372036854775807"}, math.MaxInt64, true},
		{"65 bits", texts{revision.AnnotationRollback: "9223372036854775808"}, 0, false},
	} {
		t.Run(c.why, func(t *testing.T) {
			got, ok := revision.RollbackRequest(c.annotations)
			requireSame(t, c.why, c.want, got)
			requireSame(t, c.why, c.ok, ok)
		})
	}
}

func FuzzRollbackRequest(f *testing.F) {
	for _, seed := range []string{"", "0", "+4", " 4", "-3", "9223372036854775808", "0x1"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, ok := revision.RollbackRequest(texts{revision.AnnotationRollback: text})
		m, err := revision.Number(texts{revision.AnnotationRevision: text})
		require.Equal(t, err == nil, ok, "a request is what a revision is")
		require.Equal(t, m, n)
		if ok {
			again, ok := revision.RollbackRequest(texts{revision.AnnotationRollback: strconv.FormatInt(n, 10)})
			require.True(t, ok)
			require.Equal(t, n, again)
		}
	})
}

func TestRollbackAnnotations(t *testing.T) {
	const number, last = revision.AnnotationRevision, revision.AnnotationLastApplied
	for _, c := range []struct {
		why                    string
		deployment, replicaSet texts
		want, wantKept         texts
	}{
		{"nothing", nil, nil, nil, nil},
		{"the Deployment keeps its bookkeeping", texts{number: "5", last: "{}"}, texts{number: "2", revision.AnnotationHistory: "1"},
			texts{number: "5", last: "{}"}, texts{number: "5", last: "{}"}},
		{"all else comes from the ReplicaSet", texts{"a": "new", number: "5"}, texts{"a": "old", "b": "old"},
			texts{"a": "old", "b": "old", number: "5"}, texts{"a": "old", "b": "old", number: "5"}},
		{"what the ReplicaSet lacks is dropped, or kept if wanted", texts{"owner": "me"}, texts{"a": "old"},
			texts{"a": "old"}, texts{"a": "old", "owner": "me"}},
		{"the request stays until it is cleared", texts{revision.AnnotationRollback: "1"}, nil,
			texts{revision.AnnotationRollback: "1"}, texts{revision.AnnotationRollback: "1"}},
		{"sizes are not taken", nil, texts{revision.AnnotationDesired: "3", revision.AnnotationMax: "4"}, nil, nil},
	} {
		t.Run(c.why, func(t *testing.T) {
			requireSame(t, c.why, c.want, revision.RollbackAnnotations(c.deployment, c.replicaSet, revision.Options{}))
			requireSame(t, c.why, c.wantKept, revision.RollbackAnnotations(c.deployment, c.replicaSet, keep))
		})
	}
}

func TestPlanRollback(t *testing.T) {
	const notFound, unchanged, done = revision.RollbackRevisionNotFound, revision.RollbackTemplateUnchanged, revision.RollbackDone
	for _, c := range []struct {
		why     string
		list    []revision.Entry
		current string // the Deployment's template
		request int64
		source  string
		reason  revision.RollbackReason
		message string
	}{
		{"the last revision", entries("1", "2"), "b", 0, "a", done, `Rolled back deployment "web" to revision 1`},
		{"a revision by number", entries("1", "2", "3"), "c", 1, "a", done, `Rolled back deployment "web" to revision 1`},
		{"the current one", entries("1", "2"), "b", 2, "b", unchanged,
			`The rollback revision contains the same template as current deployment "web"`},
		{"no such number", entries("1", "2"), "b", 7, "none", notFound, "Unable to find the revision to rollback to."},
		{"no last one", entries("1"), "a", 0, "none", notFound, "Unable to find last revision."},
		{"one without a revision is never the last", entries("-", "2"), "b", 0, "none", notFound, "Unable to find last revision."},
		{"of equal ones the first", entries("5", "5"), "b", 0, "a", done, `Rolled back deployment "web" to revision 5`},
		{"the current template comes last, whatever its age", entries("5", "5"), "a", 5, "b", done, `Rolled back deployment "web" to revision 5`},
		{"one that does not parse is skipped", entries("bad", "2", "3"), "c", 0, "b", done, `Rolled back deployment "web" to revision 2`},
		{"a negative number is looked for", entries("1", "2"), "b", -3, "none", notFound, "Unable to find the revision to rollback to."},
		{"and even found", entries("-3", "2"), "b", -3, "a", done, `Rolled back deployment "web" to revision -3`},
		{"nothing at all", nil, "x", 0, "none", notFound, "Unable to find last revision."},
	} {
		t.Run(c.why, func(t *testing.T) {
			w := revision.Workload{Name: "web", Template: template(c.current), Annotations: texts{
				revision.AnnotationRollback: strconv.FormatInt(c.request, 10), revision.AnnotationRevision: "9", "a": "1",
			}}
			for i := range c.list {
				c.list[i].Annotations["from"] = c.list[i].Name
			}
			r := revision.PlanRollback(w, c.list, c.request, revision.Options{})
			requireSame(t, c.why, c.source, nameOf(c.list, r.Source))
			requireSame(t, c.why, c.reason, r.Reason)
			eventType, reason, message := r.Event()
			requireSame(t, c.why, []string{string(c.reason), c.message}, []string{reason, message})
			requireSame(t, c.why, c.reason == done, eventType == "Normal")
			requireSame(t, c.why, c.reason != done, eventType == "Warning")
			want := texts{revision.AnnotationRevision: "9", "a": "1"}
			if c.reason == done {
				want = texts{revision.AnnotationRevision: "9", "from": c.source}
			}
			requireSame(t, "the request is cleared in any case", want, r.Annotations)
			require.Contains(t, w.Annotations, revision.AnnotationRollback, "the argument stays as it is")
		})
	}
	kept := revision.PlanRollback(revision.Workload{Template: template("b"), Annotations: texts{"owner": "me"}}, entries("1", "2"), 1, keep)
	require.Equal(t, texts{"owner": "me"}, kept.Annotations, "what the target lacks stays")
}

// A (1), B (2, current), a request for 1, and the template edited to C in the same
// write: C gets a ReplicaSet first, then the Deployment becomes A, and A gets 4.
func TestRollbackWhileEdited(t *testing.T) {
	list := entries("1", "2", "3")
	list[0].Annotations["kubernetes.io/change-cause"] = "first"
	w := revision.Workload{Name: "web", Template: template("c"), Annotations: texts{revision.AnnotationRollback: "1", "kubernetes.io/change-cause": "third"}}
	r := revision.PlanRollback(w, list, 1, revision.Options{})
	require.Equal(t, revision.RollbackDone, r.Reason)
	require.Equal(t, texts{"kubernetes.io/change-cause": "first"}, r.Annotations)
	w.Template, w.Annotations = list[r.Source].Template, r.Annotations
	follow(&w, &list)
	require.Equal(t, "4", list[0].Annotations[revision.AnnotationRevision])
	require.Equal(t, "1", list[0].Annotations[revision.AnnotationHistory])
}

// follow does what the controller does after a change of the Deployment: find or
// make the ReplicaSet with its template and bring it up to date.
func follow(w *revision.Workload, list *[]revision.Entry) {
	newest, old := revision.Split(*list, w.Template)
	var numbers []int64
	for _, i := range old {
		if n, err := revision.Number((*list)[i].Annotations); err == nil {
			numbers = append(numbers, n)
		}
	}
	next := revision.Next(numbers)
	if newest < 0 {
		newest = len(*list)
		*list = append(*list, entry("rs-"+strconv.Itoa(newest), "-", at(newest)))
		e := &(*list)[newest]
		e.Template, e.Annotations = w.Template, revision.CreationAnnotations(w.Annotations, next, 3, 4)
	}
	annotations := (*list)[newest].Annotations
	set, _ := revision.Sync(w.Annotations, annotations, next)
	apply(annotations, revision.Change{Set: set})
	w.Annotations = clone(w.Annotations)
	w.Annotations[revision.AnnotationRevision] = annotations[revision.AnnotationRevision]
}

// Property: annotations make the round trip. What a ReplicaSet has comes back to the
// Deployment on a rollback, and there is then nothing to copy.
func TestAnnotationsRoundTrip(t *testing.T) {
	keys := rapid.SampledFrom([]string{"a", "b", "c", revision.AnnotationRevision, revision.AnnotationHistory, revision.AnnotationLastApplied})
	values := rapid.SampledFrom([]string{"", "1", "2"})
	rapid.Check(t, func(t *rapid.T) {
		deployment := rapid.MapOf(keys, values).Draw(t, "deployment")
		replicaSet := rapid.MapOf(keys, values).Draw(t, "replicaSet")
		back := revision.RollbackAnnotations(deployment, replicaSet, revision.Options{})
		if diff := cmp.Diff(copied(replicaSet), copied(back)); diff != "" {
			t.Fatalf("the Deployment differs (-ReplicaSet +Deployment):\n%s", diff)
		}
		kept := revision.RollbackAnnotations(deployment, replicaSet, keep)
		for key, value := range deployment {
			if got, ok := back[key]; !revision.Copied(key) && (!ok || got != value) {
				t.Fatalf("%s was lost", key)
			}
			if _, ok := kept[key]; !ok {
				t.Fatalf("%s was not kept", key)
			}
		}
		for _, d := range []texts{back, kept} {
			set, _ := revision.Sync(d, replicaSet, 0)
			for key := range set {
				if _, had := replicaSet[key]; had {
					t.Fatalf("%s would change again", key)
				}
			}
		}
	})
}
