// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"

	"github.com/kplan-go/kplan"
)

// Keys are the names of the annotations by which a Deployment and its ReplicaSets keep
// revisions and sizes. An empty one is that of Kubernetes, and so the zero Keys are those
// of Kubernetes. A kind of one's own has keys of its own, so that no other controller
// takes its numbers for its own.
//
// What is written under other keys is read under the same ones. Annotations under the keys
// of Kubernetes are then like all others: they are copied to ReplicaSets, and decide nothing.
type Keys struct {
	Revision string `json:"revision,omitzero"` // in place of AnnotationRevision
	History  string `json:"history,omitzero"`  // in place of AnnotationHistory
	Desired  string `json:"desired,omitzero"`  // in place of AnnotationDesired
	Max      string `json:"max,omitzero"`      // in place of AnnotationMax
	Rollback string `json:"rollback,omitzero"` // in place of AnnotationRollback
}

// OrDefault returns k with the keys of Kubernetes where it has none.
func (k Keys) OrDefault() Keys {
	if k.unset() { // as nearly always
		return Keys{AnnotationRevision, AnnotationHistory, AnnotationDesired, AnnotationMax, AnnotationRollback}
	}
	return Keys{
		Revision: cmp.Or(k.Revision, AnnotationRevision), History: cmp.Or(k.History, AnnotationHistory),
		Desired: cmp.Or(k.Desired, AnnotationDesired), Max: cmp.Or(k.Max, AnnotationMax),
		Rollback: cmp.Or(k.Rollback, AnnotationRollback),
	}
}

// unset reports whether k is the zero Keys.
func (k *Keys) unset() bool {
	return len(k.Revision)+len(k.History)+len(k.Desired)+len(k.Max)+len(k.Rollback) == 0
}

// Errors returns a [kplan.FieldError] below path for each key that another one has as well, or
// kubectl.
func (k Keys) Errors(path string) []*kplan.FieldError {
	if k.unset() {
		return nil
	}
	k = k.OrDefault()
	var errs kplan.FieldErrors
	taken := map[string]string{AnnotationLastApplied: "kubectl's record"}
	for _, named := range [...]struct{ name, key string }{
		{"Revision", k.Revision}, {"History", k.History}, {"Desired", k.Desired}, {"Max", k.Max}, {"Rollback", k.Rollback},
	} {
		if other, found := taken[named.key]; found {
			errs.Add(path+"."+named.name, named.key, "must not be the key of "+other)
			continue
		}
		taken[named.key] = named.name
	}
	return errs
}

// Copied is [Keys.Copied] with the keys of Kubernetes.
func Copied(key string) bool { return Keys{}.Copied(key) }

// Copied reports whether an annotation of a Deployment is copied to its newest
// ReplicaSet. The bookkeeping of either object is not.
func (k Keys) Copied(key string) bool { return k.copied(key) }

func (k *Keys) copied(key string) bool {
	switch key {
	case cmp.Or(k.Revision, AnnotationRevision), cmp.Or(k.History, AnnotationHistory), cmp.Or(k.Desired, AnnotationDesired),
		cmp.Or(k.Max, AnnotationMax), cmp.Or(k.Rollback, AnnotationRollback), AnnotationLastApplied:
		return false
	}
	return true
}
