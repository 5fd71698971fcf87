// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/merge"
	"github.com/kplan-go/kplan/replicaset"
)

// edited returns an object after [Source.Edit], as the API server would store it. It returns nil
// for an object that a controller made for a workload: the state before the edit has it.
func (l *loader) edited(s *Source, u *unstructured.Unstructured, file string) (*unstructured.Unstructured, error) {
	switch {
	case s.Edit == nil:
		return u, nil
	case belongs(u):
		return nil, nil
	case !selectable[u.GetKind()]:
		return u, nil
	}
	l.selected.see(u)
	after := u.DeepCopy()
	switch err := s.Edit(after); {
	case err != nil && l.selected.passes(idOf(u)):
		return u, nil
	case err != nil:
		return nil, &Error{File: file, Object: describe(u.GetKind(), u.GetName()), Err: err}
	}
	if was, is := specOf(u), specOf(after); merge.Live(u) && !equality.Semantic.DeepEqual(was, is) {
		after.SetGeneration(u.GetGeneration() + 1)
		renumberTemplate(after, was, is)
	}
	return after, nil
}

// belongs reports whether a controller has made an object for a workload.
func belongs(u *unstructured.Unstructured) bool {
	switch kind := u.GetKind(); kind {
	case "Pod", "ControllerRevision":
		return true
	case replicaset.Kind, replicaset.KindController, daemonset.Kind, "Deployment":
		return metav1.GetControllerOfNoCopy(u) != nil
	}
	return false
}
