// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
)

// Running holds workloads as they were read, so that manifests can be applied to them. It keeps
// them as text, which takes a fraction of the memory.
type Running struct {
	byName map[string]kept // by kind and key
	packer *packed.Packer
}

type kept struct {
	live bool // an object of a cluster, not a manifest
	text packed.Text
}

// Live reports whether any of them is an object of a cluster.
func (r *Running) Live() bool {
	for _, s := range r.byName {
		if s.live {
			return true
		}
	}
	return false
}

// object returns the workload with a name, or nil.
func (r *Running) object(name string) *unstructured.Unstructured {
	s, ok := r.byName[name]
	if !ok {
		return nil
	}
	u := &unstructured.Unstructured{}
	if text, err := r.packer.Unpack(s.text); err != nil || u.UnmarshalJSON(text) != nil { // not from MarshalJSON
		return nil
	}
	return u
}

// An Object is a workload of any kind, planned or not, or a Rollout, as the API server stores it
// after an apply. It is compared with the same object of another source.
type Object struct {
	ID
	File  string
	Wrong error // why the API server would reject it; it is then not in the [Set]

	text   packed.Text
	packer *packed.Packer
}

// Open returns the object with the defaults of the API server, for kinds of Kubernetes.
func (o *Object) Open() (*unstructured.Unstructured, error) {
	u := &unstructured.Unstructured{}
	text, err := o.packer.Unpack(o.text)
	if err != nil {
		return u, err
	}
	if err := u.UnmarshalJSON(text); err != nil {
		return u, err
	}
	typed := defaulted(u)
	if typed == nil {
		return u, nil
	}
	complete, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err == nil {
		u.Object["spec"] = complete["spec"]
	}
	return u, err
}
