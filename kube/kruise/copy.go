// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
)

// copied returns a deep copy of an object by way of JSON.
func copied[T any](o *T) *T {
	if o == nil {
		return nil
	}
	c := new(T)
	if data, err := json.Marshal(o); err == nil { // never fails for an object that was decoded from JSON
		_ = json.Unmarshal(data, c)
	}
	return c
}

// DeepCopyObject implements runtime.Object.
func (o *RolloutObject) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *RolloutObjectV1alpha1) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *BatchReleaseObject) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *BatchReleaseObjectV1alpha1) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *CloneSetObject) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *AdvancedStatefulSetObject) DeepCopyObject() runtime.Object { return copied(o) }

// DeepCopyObject implements runtime.Object.
func (o *HTTPRouteObject) DeepCopyObject() runtime.Object { return copied(o) }
