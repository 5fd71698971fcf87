// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"

	"github.com/kplan-go/kplan"
)

// Keys are the keys of the annotations that store revisions and sizes on a Deployment and its
// ReplicaSets. An empty key means the key of Kubernetes. The controller of a custom type sets its
// own keys, to keep its numbers apart from the numbers of the deployment controller.
//
// Reads and writes use the same keys. If a key is replaced, an annotation with the key of
// Kubernetes has no meaning: it is copied to ReplicaSets like any other annotation.
type Keys struct {
	Revision string `json:"revision,omitzero"` // in place of AnnotationRevision
	History  string `json:"history,omitzero"`  // in place of AnnotationHistory
	Desired  string `json:"desired,omitzero"`  // in place of AnnotationDesired
	Max      string `json:"max,omitzero"`      // in place of AnnotationMax
	Rollback string `json:"rollback,omitzero"` // in place of AnnotationRollback
}

// OrDefault returns k with empty keys replaced by the keys of Kubernetes.
func (k Keys) OrDefault() Keys {
	if k.unset() { // the common case
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

// Errors returns a [kplan.FieldError] for each key that equals an earlier key or
// [AnnotationLastApplied]. Its Path is path, a dot and the name of the field.
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

// Copied reports whether an annotation of a Deployment is copied to its newest ReplicaSet: every
// annotation but [AnnotationLastApplied] and the ones whose keys are in k.
func (k Keys) Copied(key string) bool { return k.copied(key) }

func (k *Keys) copied(key string) bool {
	switch key {
	case cmp.Or(k.Revision, AnnotationRevision), cmp.Or(k.History, AnnotationHistory), cmp.Or(k.Desired, AnnotationDesired),
		cmp.Or(k.Max, AnnotationMax), cmp.Or(k.Rollback, AnnotationRollback), AnnotationLastApplied:
		return false
	}
	return true
}
