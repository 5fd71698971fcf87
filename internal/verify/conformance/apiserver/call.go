// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"bytes"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

func (s *Server) callGet(k Key) (Object, error) {
	return s.call(operation{Get, k.Kind, k.Name}, nil, func() (Object, error) { return s.get(k) })
}

// mostNames is the number of names that an API server tries when it generates one:
// maxNameGenerationCreateAttempts.
const mostNames = 8

// callCreate creates an object. Each name that the server generates counts as a call, like each
// name of a client that generates them.
func (s *Server) callCreate(o Object) (result Object, err error) {
	name, names := o.GetName(), mostNames
	if name != "" {
		names = 1
	}
	if pod, ok := o.(*corev1.Pod); ok {
		name = Target(pod)
	}
	for range names {
		result, err = s.call(operation{Create, Kind(o), name}, o, func() (Object, error) { return s.create(o) })
		if !apierrors.IsAlreadyExists(err) {
			break
		}
	}
	return result, err
}

func (s *Server) callUpdate(o Object, sub bool) (Object, error) {
	verb := Write
	if sub {
		verb = Status
	}
	return s.call(operation{verb, Kind(o), o.GetName()}, o, func() (Object, error) { return s.update(o, sub) })
}

func (s *Server) callPatch(k Key, kind types.PatchType, body []byte) (Object, error) {
	verb := Write
	switch {
	case bytes.Contains(body, []byte(`"$patch":"delete"`)):
		verb = Release
	case bytes.Contains(body, []byte(`"ownerReferences"`)):
		verb = Adopt
	}
	return s.call(operation{verb, k.Kind, k.Name}, nil, func() (Object, error) { return s.patch(k, kind, body) })
}

func (s *Server) callDelete(k Key, options metav1.DeleteOptions) error {
	_, err := s.call(operation{Delete, k.Kind, k.Name}, nil, func() (Object, error) { return nil, s.remove(k, options) })
	return err
}

// Target returns the name of the node that a pod must run on, empty if the scheduler may choose.
func Target(pod *corev1.Pod) string {
	if a := pod.Spec.Affinity; a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for _, f := range term.MatchFields {
				if f.Key == metav1.ObjectNameField && len(f.Values) == 1 {
					return f.Values[0]
				}
			}
		}
	}
	return pod.Spec.NodeName
}
