// SPDX-License-Identifier: Apache-2.0

package kube_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan/kube"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
)

// at is the time of all passes.
var at = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// An optionRow says what an option does to objects. O is the type of the options.
type optionRow[O any] struct {
	value    any // of the option
	both     O   // options of both sides
	objects  []kube.Object
	advanced kubekruise.Advanced
	refuse   func(r kube.Request, creations int) error
	// without and with are a line each that more of the objects have when the option is
	// zero, and when it is set. One of them may be empty.
	without, with string
	same          bool // it changes no object
}

// requireOptions plans each row with the option and without it, and carries both plans out.
// A field of O that has no row is an error, and so is a row that is not a field.
func requireOptions[O any](t *testing.T, rows map[string]optionRow[O], pass func(*testing.T, *memory, optionRow[O], O)) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[O]()) {
		_, seen := rows[f.Name]
		require.True(t, seen, "nobody has seen the effect of %s on objects", f.Name)
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			field := reflect.ValueOf(&row.both).Elem().FieldByName(name)
			require.True(t, field.IsValid(), "no such option")
			run := func() []string {
				m := newMemory(row.objects...)
				m.refuse = row.refuse
				pass(t, m, row, row.both)
				return m.lines()
			}
			without := run()
			field.Set(reflect.ValueOf(row.value))
			with := run()
			if row.same {
				require.Equal(t, without, with)
				return
			}
			require.NotEmpty(t, row.without+row.with)
			requireMore(t, row.without, without, with)
			requireMore(t, row.with, with, without)
		})
	}
}

// requireMore requires that more lines of a than of b are one that is looked for.
func requireMore(t *testing.T, line string, a, b []string) {
	t.Helper()
	if line != "" && count(a, line) <= count(b, line) {
		only := slices.DeleteFunc(slices.Clone(a), func(s string) bool { return count(a, s) <= count(b, s) })
		t.Errorf("%q should be in what only one of them has:\n%s", line, strings.Join(only, "\n"))
	}
}

// lines returns all objects, one line for each value. Pods that were created go by their
// node, because their names are random.
func (m *memory) lines() []string {
	var all []string
	for key, o := range m.objects {
		if pod, ok := o.(*corev1.Pod); ok && o.GetGenerateName() != "" {
			key = strings.TrimSpace("created " + pod.GenerateName + " " + kube.DaemonSetPod(pod).PinnedNode + pod.Spec.NodeName)
		}
		o = copied(o)
		o.SetUID("")
		o.SetResourceVersion("")
		o.SetCreationTimestamp(metav1.Time{})
		if o.GetGenerateName() != "" {
			o.SetName("")
		}
		data, err := json.Marshal(o)
		if err != nil {
			panic(err)
		}
		all = append(all, key)
		all = flatten(all, key, data)
	}
	slices.Sort(all)
	return all
}

func flatten(all []string, path string, data []byte) []string {
	var x any
	if err := json.Unmarshal(data, &x); err != nil {
		panic(err)
	}
	var walk func(path string, x any)
	walk = func(path string, x any) {
		switch x := x.(type) {
		case map[string]any:
			for key, value := range x {
				walk(path+"."+key, value)
			}
		case []any:
			for i, value := range x {
				walk(fmt.Sprintf("%s[%d]", path, i), value)
			}
		default:
			all = append(all, fmt.Sprintf("%s=%v", path, x))
		}
	}
	walk(path, x)
	return all
}

// The parts of which the objects of the tables are made.

func owned(kind, name string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: kind, Name: name, UID: types.UID("uid-" + name), Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true)}}
}

func webTemplate(image, hash string) corev1.PodTemplateSpec {
	t := corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: image}}},
	}
	if hash != "" {
		t.Labels["pod-template-hash"] = hash
	}
	return t
}

// webPod is a pod on a node. Ready says for how long it is; below 0 it is not.
func webPod(name, kind, owner, node string, ready time.Duration, edits ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: name, Labels: map[string]string{"app": "web"}, OwnerReferences: owned(kind, owner),
		CreationTimestamp: metav1.NewTime(at.Add(-time.Hour)),
	}}
	p.Spec.NodeName = node
	p.Status.Phase = corev1.PodRunning
	c := corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionFalse, LastTransitionTime: metav1.NewTime(at.Add(-time.Hour))}
	if ready >= 0 {
		c.Status, c.LastTransitionTime = corev1.ConditionTrue, metav1.NewTime(at.Add(-ready))
	}
	p.Status.Conditions = []corev1.PodCondition{c}
	for _, edit := range edits {
		edit(p)
	}
	return p
}

func going(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: at} }
