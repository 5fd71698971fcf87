// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/kube"
)

// memory is an API server in memory: it stores objects, under UIDs, versions and
// generations, and answers 404 and 409 as the real one does. Deletions take effect at once.
type memory struct {
	mu      sync.Mutex
	objects map[string]kube.Object
	version int
	refuse  func(r kube.Request, creations int) error // nil means nothing
	created int
}

func newMemory(objects ...kube.Object) *memory {
	m := &memory{objects: map[string]kube.Object{}}
	for _, o := range objects {
		o = o.DeepCopyObject().(kube.Object)
		if o.GetUID() == "" {
			o.SetUID(types.UID("uid-" + o.GetName()))
		}
		m.store(o)
	}
	return m
}

func resourceOf(o kube.Object) string {
	if _, ok := o.(*corev1.Node); ok {
		return "nodes"
	}
	return kube.Request{Object: o}.Resource()
}

func keyOf(o kube.Object) string { return resourceOf(o) + "/" + o.GetName() }

func copied(o kube.Object) kube.Object { return o.DeepCopyObject().(kube.Object) }

// answered leaves in o what is stored.
func answered(o, stored kube.Object) {
	reflect.ValueOf(o).Elem().Set(reflect.ValueOf(copied(stored)).Elem())
}

func part(o kube.Object, name string) reflect.Value {
	return reflect.ValueOf(o).Elem().FieldByName(name)
}

func (m *memory) store(o kube.Object) {
	m.version++
	o.SetResourceVersion(strconv.Itoa(m.version))
	m.objects[keyOf(o)] = o
}

func (m *memory) find(o kube.Object) (kube.Object, error) {
	stored := m.objects[keyOf(o)]
	if stored == nil || stored.GetNamespace() != o.GetNamespace() {
		return nil, apierrors.NewNotFound(schema.GroupResource{Resource: resourceOf(o)}, o.GetName())
	}
	return stored, nil
}

func (m *memory) Get(_ context.Context, o kube.Object) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	stored, err := m.find(o)
	if err == nil {
		answered(o, stored)
	}
	return err
}

func (m *memory) Do(_ context.Context, r kube.Request) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r.Verb == kube.VerbCreate {
		m.created++
	}
	if m.refuse != nil {
		if err := m.refuse(r, m.created); err != nil {
			return err
		}
	}
	if r.Verb == kube.VerbCreate {
		return m.create(r.Object)
	}
	old, err := m.find(r.Object)
	if err != nil {
		return err
	}
	switch r.Verb {
	case kube.VerbDelete:
		return m.remove(old, r.Options.Preconditions)
	case kube.VerbPatch:
		return m.patch(old, r)
	}
	return m.replace(old, r.Object, copied(r.Object), r.Subresource)
}

func changed(o kube.Object) error {
	return apierrors.NewConflict(schema.GroupResource{Resource: resourceOf(o)}, o.GetName(), errors.New("it has changed"))
}

func (m *memory) create(o kube.Object) error {
	next := copied(o)
	if next.GetName() == "" {
		next.SetName(fmt.Sprintf("%s%05d", next.GetGenerateName(), m.created))
	}
	if m.objects[keyOf(next)] != nil {
		return apierrors.NewAlreadyExists(schema.GroupResource{Resource: resourceOf(next)}, next.GetName())
	}
	next.SetUID(types.UID(fmt.Sprint("created-", m.created)))
	next.SetCreationTimestamp(metav1.NewTime(at))
	next.SetGeneration(1)
	if v := part(next, "Status"); v.IsValid() {
		v.SetZero()
	}
	m.store(next)
	answered(o, next)
	return nil
}

func (m *memory) remove(old kube.Object, p *metav1.Preconditions) error {
	if p != nil && (p.UID != nil && *p.UID != old.GetUID() || p.ResourceVersion != nil && *p.ResourceVersion != old.GetResourceVersion()) {
		return changed(old)
	}
	m.version++
	delete(m.objects, keyOf(old))
	return nil
}

func (m *memory) patch(old kube.Object, r kube.Request) error {
	before, err := json.Marshal(old)
	if err != nil {
		return err
	}
	var after []byte
	if r.Patch.Type == types.StrategicMergePatchType {
		after, err = strategicpatch.StrategicMergePatch(before, r.Patch.Data, old)
	} else {
		after, err = mergePatch(before, r.Patch.Data)
	}
	if err != nil {
		return apierrors.NewBadRequest(err.Error())
	}
	next := reflect.New(reflect.TypeOf(old).Elem()).Interface().(kube.Object)
	if err := json.Unmarshal(after, next); err != nil {
		return err
	}
	return m.replace(old, r.Object, next, r.Subresource)
}

// mergePatch is RFC 7396.
func mergePatch(before, patch []byte) ([]byte, error) {
	var target, change any
	if err := errors.Join(json.Unmarshal(before, &target), json.Unmarshal(patch, &change)); err != nil {
		return nil, err
	}
	return json.Marshal(mergedValue(target, change))
}

func mergedValue(target, change any) any {
	changes, ok := change.(map[string]any)
	if !ok {
		return change
	}
	object, _ := target.(map[string]any)
	object = maps.Clone(object)
	if object == nil {
		object = map[string]any{}
	}
	for key, value := range changes {
		if object[key] = mergedValue(object[key], value); value == nil {
			delete(object, key)
		}
	}
	return object
}

// replace stores next in place of old, the status or all but the status.
func (m *memory) replace(old, answer, next kube.Object, subresource string) error {
	if next.GetUID() != "" && next.GetUID() != old.GetUID() || next.GetResourceVersion() != "" && next.GetResourceVersion() != old.GetResourceVersion() {
		return changed(old)
	}
	next.SetUID(old.GetUID())
	next.SetCreationTimestamp(old.GetCreationTimestamp())
	next.SetGeneration(old.GetGeneration())
	kept := "Status"
	if subresource == "status" {
		kept = "Spec"
	}
	if v := part(next, kept); v.IsValid() {
		v.Set(part(copied(old), kept))
	}
	if v := part(next, "Spec"); v.IsValid() && !equality.Semantic.DeepEqual(v.Interface(), part(old, "Spec").Interface()) {
		next.SetGeneration(old.GetGeneration() + 1)
	}
	m.store(next)
	answered(answer, next)
	return nil
}

// list returns copies of the objects of a type, by name.
func list[T kube.Object](m *memory) []T {
	var all []T
	for _, key := range slices.Sorted(maps.Keys(m.objects)) {
		if o, ok := m.objects[key].(T); ok {
			all = append(all, copied(o).(T))
		}
	}
	return all
}

// The server itself: what its answers rest on.
func TestMemory(t *testing.T) {
	m, ctx := newMemory(set()), t.Context()
	rs := list[*appsv1.ReplicaSet](m)[0]
	scale := func(data string) kube.Request {
		return kube.Request{Verb: kube.VerbPatch, Object: sets("web")[0], Patch: kube.Patch{Type: types.MergePatchType, Data: []byte(data)}}
	}
	require.True(t, apierrors.IsConflict(m.Do(ctx, scale(`{"metadata":{"uid":"another"}}`))))
	require.True(t, apierrors.IsConflict(m.Do(ctx, scale(`{"metadata":{"resourceVersion":"77"}}`))))
	require.NoError(t, m.Do(ctx, scale(`{"metadata":{"uid":"r1","labels":{"a":"b"}},"spec":{"replicas":4}}`)))
	stored := list[*appsv1.ReplicaSet](m)[0]
	require.Equal(t, ptr.To(int32(4)), stored.Spec.Replicas)
	require.Equal(t, rs.Generation+1, stored.Generation)
	require.NotEqual(t, rs.ResourceVersion, stored.ResourceVersion)
	require.True(t, apierrors.IsConflict(m.Do(ctx, kube.Request{Verb: kube.VerbUpdate, Object: rs})), "written over another version")
	stored.Status.Replicas, stored.Spec.Replicas = 3, ptr.To(int32(9))
	require.NoError(t, m.Do(ctx, kube.Request{Verb: kube.VerbUpdate, Object: stored, Subresource: "status"}))
	require.Equal(t, ptr.To(int32(4)), stored.Spec.Replicas, "a status alone")
	require.Equal(t, int32(3), stored.Status.Replicas)
	require.True(t, apierrors.IsAlreadyExists(m.Do(ctx, kube.Request{Verb: kube.VerbCreate, Object: set()})))
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", GenerateName: "web-"}}
	require.NoError(t, m.Do(ctx, kube.Request{Verb: kube.VerbCreate, Object: pod}))
	require.Regexp(t, `^web-\d{5}$`, pod.Name)
	remove := kube.Request{Verb: kube.VerbDelete, Object: podNamedIn("ns", pod.Name), Options: metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(types.UID("x"))}}}
	require.True(t, apierrors.IsConflict(m.Do(ctx, remove)))
	remove.Options.Preconditions.UID = &pod.UID
	require.NoError(t, m.Do(ctx, remove))
	require.True(t, apierrors.IsNotFound(m.Do(ctx, remove)))
	require.True(t, apierrors.IsNotFound(m.Get(ctx, pod)))
}

func podNamedIn(namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}
