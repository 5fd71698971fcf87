// SPDX-License-Identifier: Apache-2.0

// Package convert holds conversions that package kube and its subfolders share.
package convert

import (
	"maps"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// TimeOrZero returns t in UTC, so that snapshots of equal objects are equal
// wherever they are taken. An unset time stays the zero time.
func TimeOrZero(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// Controller returns kind, name and UID of the first owner that controls o.
func Controller(o metav1.Object) (kind, name, uid string) {
	owner := metav1.GetControllerOfNoCopy(o)
	if owner == nil {
		return "", "", ""
	}
	return owner.Kind, owner.Name, string(owner.UID)
}

// Missing reports whether o is nil, or a nil pointer in an interface.
func Missing(o metav1.Object) bool {
	if o == nil {
		return true
	}
	v := reflect.ValueOf(o)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// Clone returns a pointer to a copy of *p, or nil.
func Clone(p *int32) *int32 {
	if p == nil {
		return nil
	}
	return ptr.To(*p)
}

// With returns m with the entries of set added. It changes m, which may be nil.
func With(m, set map[string]string) map[string]string {
	if m == nil && len(set) > 0 {
		m = make(map[string]string, len(set))
	}
	maps.Copy(m, set)
	return m
}

// DeleteOptions returns delete options with UID and resource version, if known, as
// preconditions.
func DeleteOptions(uid, resourceVersion string) metav1.DeleteOptions {
	if uid == "" && resourceVersion == "" {
		return metav1.DeleteOptions{}
	}
	p := &metav1.Preconditions{}
	if uid != "" {
		p.UID = ptr.To(types.UID(uid))
	}
	if resourceVersion != "" {
		p.ResourceVersion = ptr.To(resourceVersion)
	}
	return metav1.DeleteOptions{Preconditions: p}
}
