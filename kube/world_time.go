// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A clock shows the latest time that it has seen, or the time at which it started.
type clock struct{ now time.Time }

// told notes the times in an object: when it was created and written, when its deletion was
// requested, when its node got taints, and all of its status. The present is not before any of
// them.
func (c *clock) told(o Object) {
	c.see(o.GetCreationTimestamp().Time)
	for _, m := range o.GetManagedFields() {
		if m.Time != nil {
			c.see(m.Time.Time)
		}
	}
	if at, grace := o.GetDeletionTimestamp(), o.GetDeletionGracePeriodSeconds(); at != nil && grace != nil {
		c.see(at.Add(-time.Duration(*grace) * time.Second))
	}
	if n, ok := o.(*corev1.Node); ok {
		c.seeIn(reflect.ValueOf(n.Spec.Taints))
	}
	if v := reflect.ValueOf(o); v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct {
		c.seeIn(v.Elem().FieldByName("Status"))
	}
}

var timeType = reflect.TypeFor[metav1.Time]()

// seeIn notes the times in a value.
func (c *clock) seeIn(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		c.seeIn(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			c.seeIn(v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == timeType {
			c.see(v.Interface().(metav1.Time).Time)
			return
		}
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				c.seeIn(v.Field(i))
			}
		}
	}
}

// see notes a time, unless it is out of range: a status may hold any time.
func (c *clock) see(t time.Time) {
	if t.After(c.now) && t.Year() >= 1970 && t.Year() < 2200 {
		c.now = t.UTC()
	}
}

// notReadySince returns the time since which a node does not answer, from its taint or its
// condition, zero if both lack it.
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
