// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
)

// Running are workloads as they were read, to which manifests may be applied. They are held
// as text, which takes a fraction of the memory.
type Running struct {
	byName map[string]kept // by kind and key
	packer *packed.Packer
}

type kept struct {
	live bool // not a manifest
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

// object returns the one of a name, or nil.
func (r *Running) object(name string) *unstructured.Unstructured {
	s, ok := r.byName[name]
	if !ok {
		return nil
	}
	u := &unstructured.Unstructured{}
	if text, err := r.packer.Unpack(s.text); err != nil || u.UnmarshalJSON(text) != nil { // not what MarshalJSON has written
		return nil
	}
	return u
}
