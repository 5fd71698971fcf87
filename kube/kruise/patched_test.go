// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/workload"
)

// merge carries out a JSON merge patch.
func merge(object, patch map[string]any) map[string]any {
	for key, value := range patch {
		inner, isObject := value.(map[string]any)
		switch {
		case value == nil:
			delete(object, key)
		case isObject:
			under, ok := object[key].(map[string]any)
			if !ok {
				under = map[string]any{}
			}
			object[key] = merge(under, inner)
		default:
			object[key] = value
		}
	}
	return object
}

// throughAPI returns what is read of an object behind a patch: the patch goes through the body
// that a client sends, and what the type has no field for is dropped.
func throughAPI[O any](t *rapid.T, o *O, ref workload.Ref, p workload.Patch, read func(*O) (workload.Workload, error)) workload.Workload {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	data, err := json.Marshal(o)
	must(err)
	object, body := map[string]any{}, map[string]any{}
	must(json.Unmarshal(data, &object))
	request, err := kubekruise.WorkloadPatch(ref, "", p)
	must(err)
	must(json.Unmarshal(request.Data, &body))
	data, err = json.Marshal(merge(object, body))
	must(err)
	after := new(O)
	must(json.Unmarshal(data, after))
	w, err := read(after)
	must(err)
	return w
}

func maybe[V any](t *rapid.T, name string, values ...V) *V {
	if rapid.IntRange(0, 2).Draw(t, name+" given") > 0 {
		return nil
	}
	v := rapid.SampledFrom(values).Draw(t, name)
	return &v
}

func anyPatch(t *rapid.T, types ...string) workload.Patch {
	var p workload.Patch
	limit := func(name string) (v rollout.IntOrPercent) {
		if given := maybe(t, name, rollout.Int(0), rollout.Int(3), rollout.Percent(40)); given != nil {
			v = *given
		}
		return v
	}
	if v := maybe(t, "label", ptr.To("v1"), nil); v != nil {
		p.Labels = map[string]*string{workload.LabelStableRevision: *v, "x": ptr.To("1")}
	}
	if v := maybe(t, "annotation", ptr.To("x"), nil); v != nil {
		p.Annotations = map[string]*string{workload.AnnotationInProgress: *v}
	}
	p.Replicas, p.Paused, p.StrategyType = maybe(t, "replicas", int32(0), 5), maybe(t, "paused", false, true), maybe(t, "type", types...)
	if v := maybe(t, "partition", int32(0), 2); v != nil {
		p.Partition = rollout.Int(*v)
	}
	p.ClearPartition, p.ReplaceStrategy = maybe(t, "clear", 0) != nil, maybe(t, "replace", 0) != nil
	p.MaxSurge, p.MaxUnavailable = limit("surge"), limit("unavailable")
	p.StrategyPaused, p.MinReadySeconds = maybe(t, "strategy paused", false, true), maybe(t, "minReady", int32(0), 9)
	p.ProgressDeadlineSeconds = maybe(t, "deadline", int32(60))
	return p
}

// agrees checks that what a patch makes of an object, which another patch has left, is the same.
func agrees[O any](t *rapid.T, o *O, ref workload.Ref, read func(*O) (workload.Workload, error), drop func(*workload.Patch), types ...string) {
	first, second := anyPatch(t, "RollingUpdate"), anyPatch(t, types...)
	drop(&first)
	drop(&second)
	before := throughAPI(t, o, ref, first, read)
	want := throughAPI(t, o, ref, first, func(o *O) (workload.Workload, error) { return throughAPI(t, o, ref, second, read), nil })
	got := before.Patched(second)
	for _, w := range []*workload.Workload{&got, &want} {
		w.Generation = 0
		if len(w.Labels) == 0 { // which is none
			w.Labels = nil
		}
		if len(w.Annotations) == 0 {
			w.Annotations = nil
		}
		switch {
		case w.Kind == "CloneSet": // it has no such block
			w.RollingUpdate = ptr.To(w.Limits())
		case w.StrategyType == "Recreate" || w.Kind == "DaemonSet" && w.StrategyType == "OnDelete":
			w.RollingUpdate = nil // the API server takes none beside it, or it is not read
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("%s", cmp.Diff(want, got))
	}
}

// TestPropertyPatched: what a patch makes of a workload is what is read of the object of the API
// behind its body. What a kind has no field for but the planners take for one is left out.
func TestPropertyPatched(t *testing.T) {
	noDeadline := func(p *workload.Patch) { p.ProgressDeadlineSeconds = nil }
	rapid.Check(t, func(t *rapid.T) {
		of := func(apiVersion, kind string) workload.Ref {
			return workload.Ref{APIVersion: apiVersion, Kind: kind, Name: "web"}
		}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			o := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{workload.LabelStableRevision: "v0"}}}
			agrees(t, o, of("apps/v1", "Deployment"), func(o *appsv1.Deployment) (workload.Workload, error) { return kubekruise.Deployment(o, nil) },
				func(*workload.Patch) {}, "RollingUpdate", "Recreate")
		case 1:
			o := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
			agrees(t, o, of("apps/v1", "StatefulSet"), func(o *appsv1.StatefulSet) (workload.Workload, error) { return kubekruise.StatefulSet(o, nil) },
				func(p *workload.Patch) {
					p.MaxSurge, p.StrategyPaused, p.ProgressDeadlineSeconds = rollout.IntOrPercent{}, nil, nil
				}, "RollingUpdate", "OnDelete")
		case 2:
			o := &kubekruise.CloneSetObject{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
			agrees(t, o, of("apps.kruise.io/v1alpha1", "CloneSet"), kubekruise.CloneSet, noDeadline, "InPlaceIfPossible", "ReCreate")
		default:
			o := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
			read := func(o *appsv1.DaemonSet) (workload.Workload, error) {
				return kubekruise.DaemonSet(o, nil, nil, nil)
			}
			agrees(t, o, of("apps/v1", "DaemonSet"), read, noDeadline, "RollingUpdate", "OnDelete")
		}
	})
}
