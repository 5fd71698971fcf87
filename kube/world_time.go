// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// told notes the times that an object tells of: when it was created and written, when its deletion was
// asked for, when its node got taints, and all of its status. The present is not before any of them.
func (w *worldReader) told(o Object) {
	w.see(o.GetCreationTimestamp().Time)
	for _, m := range o.GetManagedFields() {
		if m.Time != nil {
			w.see(m.Time.Time)
		}
	}
	if at, grace := o.GetDeletionTimestamp(), o.GetDeletionGracePeriodSeconds(); at != nil && grace != nil {
		w.see(at.Add(-time.Duration(*grace) * time.Second))
	}
	if n, ok := o.(*corev1.Node); ok {
		w.seeIn(reflect.ValueOf(n.Spec.Taints))
	}
	if v := reflect.ValueOf(o); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		w.seeIn(v.Elem().FieldByName("Status"))
	}
}

var timeType = reflect.TypeFor[metav1.Time]()

// seeIn notes the times in a value.
func (w *worldReader) seeIn(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		w.seeIn(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			w.seeIn(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == timeType {
			w.see(v.Interface().(metav1.Time).Time)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				w.seeIn(v.Field(i))
			}
		}
	}
}

// see notes a time, unless no clock shows it: anybody may write one into a status.
func (w *worldReader) see(t time.Time) {
	if t.After(w.s.Now) && t.Year() >= 1970 && t.Year() < 2200 {
		w.s.Now = t.UTC()
	}
}

// notReadySince returns since when a node does not answer, as its taint tells or its condition, zero
// if they do not.
func notReadySince(n *corev1.Node, c *corev1.NodeCondition) time.Time {
	for _, key := range []string{corev1.TaintNodeUnreachable, corev1.TaintNodeNotReady} {
		for _, t := range n.Spec.Taints {
			if t.Key == key && t.Effect == corev1.TaintEffectNoExecute && t.TimeAdded != nil {
				return t.TimeAdded.UTC()
			}
		}
	}
	return c.LastTransitionTime.UTC()
}
