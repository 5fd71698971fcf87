// SPDX-License-Identifier: Apache-2.0

package revision_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/revision/quirk"
)

// Whatever is asked or answered survives JSON, data byte by byte.
func TestJSON(t *testing.T) {
	r := version("a", 3, born(1), hashed("h"), data("{ \"<\": 1 }\n"))
	for _, v := range []any{
		entry("a", "1", at(1), func(e *revision.Entry) {
			e.TemplateAnnotations = texts{"b": "y"}
			e.DeletionTimestamp, e.Generation, e.ControllerUID = t0, 2, "u"
			e.Status = revision.EntryStatus{ObservedGeneration: 1, Replicas: 4}
		}),
		revision.Workload{Name: "web", Annotations: texts{"a": "1"}, Template: template("x"), Paused: true},
		revision.Options{Repair: quirk.All, KeepAnnotations: true, ExactAnnotations: true},
		revision.Change{Set: texts{"a": "1"}, Remove: []string{"b"}},
		revision.PlanRollback(revision.Workload{Name: "web", Template: template("b")}, entries("1", "2"), 0, revision.Options{}),
		revision.Held{Index: 1, Reason: revision.HoldNotEmpty},
		r,
		revision.Attempt{Parent: "web", Revision: r, Collisions: 1},
		revision.StatefulSet{Name: "web", UID: "u", Annotations: texts{"a": "1"}, TemplateLabels: texts{"b": "1"}, Data: []byte("x"),
			Collisions: ptr.To(int32(0)), Current: "a"},
		revision.Choice{Verb: revision.VerbKeep, Update: -1, Revision: r, Current: 1},
		revision.Deduped{Keep: -1, Hash: "h", Delete: []int{1}, Relabel: true, Renumber: 2},
		revision.Parent{Kind: "StatefulSet", Name: "web", UID: "u"},
	} {
		text, err := json.Marshal(v)
		require.NoError(t, err)
		back := reflect.New(reflect.TypeOf(v))
		require.NoError(t, json.Unmarshal(text, back.Interface()))
		if diff := cmp.Diff(v, back.Elem().Interface()); diff != "" {
			t.Errorf("%T (-before +after):\n%s", v, diff)
		}
	}
}
