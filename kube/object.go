package kube

import (
	"maps"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// timeOrZero returns t in UTC, so that snapshots of equal objects are equal
// wherever they are taken. An unset time stays the zero time.
func timeOrZero(t *metav1.Time) time.Time {
	if t == nil {
		return time.Time{}
	}
	return t.UTC()
}

// controller returns kind, name and UID of the first owner that controls o.
func controller(o metav1.Object) (kind, name, uid string) {
	owner := metav1.GetControllerOfNoCopy(o)
	if owner == nil {
		return "", "", ""
	}
	return owner.Kind, owner.Name, string(owner.UID)
}

// clone returns a pointer to a copy of *p, or nil.
func clone(p *int32) *int32 {
	if p == nil {
		return nil
	}
	return new(*p)
}

// with returns m with the entries of set added. It changes m, which may be nil.
func with(m, set map[string]string) map[string]string {
	if m == nil && len(set) > 0 {
		m = make(map[string]string, len(set))
	}
	maps.Copy(m, set)
	return m
}
