// SPDX-License-Identifier: Apache-2.0

package kubectl_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
	"github.com/stretchr/testify/require"
)

var repairAll = revision.Options{Repair: quirk.All}

// version returns a ControllerRevision with a name, a number and data of that name.
func version(name string, number int64, changes ...func(*revision.ControllerRevision)) revision.ControllerRevision {
	r := revision.ControllerRevision{Name: name, Revision: number, Data: []byte(`{"v":"` + name + `"}`)}
	for _, change := range changes {
		change(&r)
	}
	return r
}

func born(n int) func(*revision.ControllerRevision) {
	return func(r *revision.ControllerRevision) { r.CreationTimestamp = minute(n) }
}

func data(text string) func(*revision.ControllerRevision) {
	return func(r *revision.ControllerRevision) { r.Data = []byte(text) }
}

func versions(rs ...revision.ControllerRevision) []revision.ControllerRevision { return rs }

var t0 = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// minute returns a time n minutes after t0.
func minute(n int) time.Time { return t0.Add(time.Duration(n) * time.Minute) }

// entry returns an empty ReplicaSet with a name, a revision ("-" for none), and a
// template of the same name.
func entry(name, number string, changes ...func(*revision.Entry)) revision.Entry {
	e := revision.Entry{
		Name: name, UID: "uid-of-" + name, Template: revision.Template{ID: name},
		Annotations: map[string]string{}, Replicas: ptr.To(int32(0)),
	}
	if number != "-" {
		e.Annotations[revision.AnnotationRevision] = number
	}
	for _, change := range changes {
		change(&e)
	}
	return e
}

// entries returns one ReplicaSet for each revision, called a, b, c and so on, each a
// minute younger than the one before.
func entries(numbers ...string) []revision.Entry {
	var list []revision.Entry
	for i, number := range numbers {
		list = append(list, entry(string(rune('a'+i)), number, at(i)))
	}
	return list
}

func at(n int) func(*revision.Entry) {
	return func(e *revision.Entry) { e.CreationTimestamp = minute(n) }
}

func annotation(key, value string) func(*revision.Entry) {
	return func(e *revision.Entry) { e.Annotations[key] = value }
}

func template(id string) revision.Template { return revision.Template{ID: id} }

// named turns indices into names, so that results are readable and do not depend on
// the order of the list.
func named(list []revision.Entry, indices []int) string {
	text := ""
	for _, i := range indices {
		if text != "" {
			text += " "
		}
		text += list[i].Name
	}
	return text
}

func nameOf(list []revision.Entry, i int) string {
	if i < 0 {
		return "none"
	}
	return list[i].Name
}

func requireSame(t *testing.T, why string, want, got any) {
	t.Helper()
	require.NotEmpty(t, why)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", why, diff)
	}
}

func annotated(number string) map[string]string {
	return map[string]string{revision.AnnotationRevision: number}
}

var keep = revision.Options{KeepAnnotations: true}

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

type texts = map[string]string

func apply(annotations texts, c revision.Change) {
	for key, value := range c.Set {
		annotations[key] = value
	}
	for _, key := range c.Remove {
		delete(annotations, key)
	}
}

func clone(m map[string]string) map[string]string {
	c := map[string]string{}
	for key, value := range m {
		c[key] = value
	}
	return c
}
