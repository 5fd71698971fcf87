// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	kruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/autoscaling/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	"k8s.io/kubernetes/pkg/controller"

	"github.com/kplan-go/kplan/internal/verify/conformance/gen"
	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/kube"
)

// TestFunctionsDefault compares the object that controllers read after it was sent to an API server
// with kube's result, bit by bit.
func TestFunctionsDefault(t *testing.T) {
	compareDefaults(t, "Deployment", kube.Default[appsv1.Deployment])
	compareDefaults(t, "DaemonSet", kube.Default[appsv1.DaemonSet])
	compareDefaults(t, "StatefulSet", kube.Default[appsv1.StatefulSet])
	compareDefaults(t, "ReplicaSet", kube.Default[appsv1.ReplicaSet])
	compareDefaults(t, "ReplicationController", kube.Default[corev1.ReplicationController])
	compareDefaults(t, "HorizontalPodAutoscaler", kube.Default[autoscalingv2.HorizontalPodAutoscaler])
	compareDefaults(t, "HorizontalPodAutoscaler of v1", kube.Default[autoscalingv1.HorizontalPodAutoscaler])
}

// defaultKinds is how many kinds share the cases.
const defaultKinds = 7

// compareDefaults compares random objects of a type, and each of them once more as it is
// then, which must change nothing.
func compareDefaults[T any](t *testing.T, kind string, ours func(*T) *T) {
	t.Run(kind, func(t *testing.T) {
		first, cases := int64(seed)<<32, max(1, functionCases/defaultKinds)
		if seed == 0 {
			first = rand.Int64()
		}
		var next atomic.Int64
		var workers sync.WaitGroup
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				for i := next.Add(1); i <= int64(cases) && !t.Failed(); i = next.Add(1) {
					if err := compareDefault(first+i, ours); err != nil {
						t.Errorf("%s %d: %v", kind, first+i, err)
					}
				}
			})
		}
		workers.Wait()
		if t.Failed() {
			return
		}
		t.Logf("%d objects of kind %s: nothing differs", cases, kind)
	})
}

func compareDefault[T any](seed int64, ours func(*T) *T) error {
	given := new(T)
	object := any(given).(kruntime.Object)
	gen.Unset(object, seed)
	before := object.DeepCopyObject()
	want, err := asStored(object)
	if err != nil {
		return err
	}
	got := ours(given)
	if !reflect.DeepEqual(want, any(got)) {
		return fmt.Errorf("upstream (-) and kube (+) differ:\n%s", gocmp.Diff(want, any(got)))
	}
	if !reflect.DeepEqual(before, object) {
		return fmt.Errorf("the object has changed:\n%s", gocmp.Diff(before, object))
	}
	if again := ours(got); !reflect.DeepEqual(got, again) {
		return fmt.Errorf("once more (+) is not as once (-):\n%s", gocmp.Diff(got, again))
	}
	return nil
}

// asStored returns the object that a client reads after its creation: the server fills in defaults
// and converts it on the way in, writes it to its storage, and does the same when it reads it.
// Storage is in protobuf, the client gets JSON.
func asStored(object kruntime.Object) (kruntime.Object, error) {
	for _, through := range []func(from, to kruntime.Object) error{storage, wire} {
		outer, err := taken(object)
		if err != nil {
			return nil, err
		}
		outer.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
		object = reflect.New(reflect.TypeOf(outer).Elem()).Interface().(kruntime.Object)
		if err := through(outer, object); err != nil {
			return nil, err
		}
	}
	if ds, ok := object.(*appsv1.DaemonSet); ok {
		delete(ds.Annotations, appsv1.DeprecatedTemplateGeneration) // which the server counts
		if len(ds.Annotations) == 0 {
			ds.Annotations = nil
		}
	}
	return object, nil
}

func storage(from, to kruntime.Object) error {
	data, err := from.(interface{ Marshal() ([]byte, error) }).Marshal()
	if err != nil {
		return err
	}
	return to.(interface{ Unmarshal([]byte) error }).Unmarshal(data)
}

func wire(from, to kruntime.Object) error {
	data, err := json.Marshal(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, to)
}

// taken fills in defaults, converts a copy of an object to the server's internal type and back, and
// drops the fields that the server drops.
func taken(object kruntime.Object) (kruntime.Object, error) {
	object = object.DeepCopyObject()
	legacyscheme.Scheme.Default(object)
	kinds, _, err := legacyscheme.Scheme.ObjectKinds(object)
	if err != nil {
		return nil, err
	}
	upstream.DropInitContainerAnnotations(object)
	outside := kinds[0].GroupVersion()
	inner, err := legacyscheme.Scheme.ConvertToVersion(object, schema.GroupVersion{Group: outside.Group, Version: kruntime.APIVersionInternal})
	if err != nil {
		return nil, err
	}
	return legacyscheme.Scheme.ConvertToVersion(inner, outside)
}

// TestFunctionsDefaultHash: a template gets the hash that the controllers compute from the stored
// object.
func TestFunctionsDefaultHash(t *testing.T) {
	for i := range int64(min(functionCases, 2_000)) {
		d := &appsv1.Deployment{}
		gen.Unset(d, int64(seed)<<32+i)
		read, err := asStored(d)
		require.NoError(t, err)
		want := controller.ComputeHash(&read.(*appsv1.Deployment).Spec.Template, d.Status.CollisionCount)
		require.Equal(t, want, kube.Template(&kube.Default(d).Spec.Template, d.Status.CollisionCount).Hash, "object %d", i)
	}
}
