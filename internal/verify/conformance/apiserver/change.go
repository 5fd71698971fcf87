// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// invalid is the error for an object that the API does not allow.
func invalid(k Key, path, detail string) error {
	return apierrors.NewInvalid(schema.GroupKind{Group: resource(k.Kind).Group, Kind: k.Kind}, k.Name,
		field.ErrorList{field.Forbidden(field.NewPath("metadata", path), detail)})
}

// validateOwners allows at most one controlling owner.
func validateOwners(k Key, o Object) error {
	controllers := 0
	for _, r := range o.GetOwnerReferences() {
		if r.Controller != nil && *r.Controller {
			controllers++
		}
	}
	if controllers > 1 {
		return invalid(k, "ownerReferences", "two controllers")
	}
	return nil
}

// patch applies a patch to an object. A UID or a resource version in the patch is a precondition.
func (s *Server) patch(k Key, kind types.PatchType, body []byte) (Object, error) {
	old, err := s.get(k)
	if err != nil {
		return nil, err
	}
	next, err := patched(old, kind, body)
	switch {
	case err != nil:
		return nil, apierrors.NewBadRequest(err.Error())
	case next.GetUID() != old.GetUID():
		return nil, invalid(k, "uid", "field is immutable")
	case next.GetResourceVersion() != old.GetResourceVersion():
		return nil, conflict(k, "the object")
	}
	return s.replace(k, old, next, false)
}

func patched(old Object, kind types.PatchType, body []byte) (Object, error) {
	before, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	var after []byte
	switch kind {
	case types.StrategicMergePatchType:
		after, err = strategicpatch.StrategicMergePatch(before, body, old)
	case types.MergePatchType:
		after, err = mergePatch(before, body)
	default:
		err = fmt.Errorf("a patch of type %s", kind)
	}
	if err != nil {
		return nil, err
	}
	next := reflect.New(reflect.TypeOf(old).Elem()).Interface().(Object)
	return next, json.Unmarshal(after, next)
}

// mergePatch applies a JSON merge patch (RFC 7396).
func mergePatch(before, body []byte) ([]byte, error) {
	var target, patch any
	if err := json.Unmarshal(before, &target); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(body, &patch); err != nil {
		return nil, err
	}
	return json.Marshal(merged(target, patch))
}

func merged(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	object, ok := target.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	for key, change := range changes {
		if change == nil {
			delete(object, key)
		} else {
			object[key] = merged(object[key], change)
		}
	}
	return object
}

// remove deletes an object. A pod that runs on a node is deleted gracefully.
func (s *Server) remove(k Key, options metav1.DeleteOptions) error {
	old, err := s.get(k)
	if err != nil {
		return err
	}
	if p := options.Preconditions; p != nil {
		if p.UID != nil && *p.UID != old.GetUID() {
			return conflict(k, "the UID")
		}
		if p.ResourceVersion != nil && *p.ResourceVersion != old.GetResourceVersion() {
			return conflict(k, "the object")
		}
	}
	grace := int64(0)
	if pod, ok := old.(*corev1.Pod); ok && pod.Spec.NodeName != "" && pod.Status.Phase != corev1.PodFailed && pod.Status.Phase != corev1.PodSucceeded {
		grace = corev1.DefaultTerminationGracePeriodSeconds
		if n := pod.Spec.TerminationGracePeriodSeconds; n != nil {
			grace = *n
		}
	}
	if grace == 0 && len(old.GetFinalizers()) == 0 {
		delete(s.objects, k)
		s.version++
		return nil
	}
	if old.GetDeletionTimestamp() != nil {
		return nil
	}
	next := copyOf(old)
	at := metav1.NewTime(time.Now().Add(time.Duration(grace) * time.Second)).Rfc3339Copy()
	next.SetDeletionTimestamp(&at)
	next.SetDeletionGracePeriodSeconds(&grace)
	s.store(k, next)
	return nil
}
