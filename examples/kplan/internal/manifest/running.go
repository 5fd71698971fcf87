// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"bytes"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/examples/kplan/internal/merge"
)

// Running are workloads as they were read, to which manifests may be applied. They are held
// as text, which takes a fraction of the memory.
type Running map[string]kept // by kind and key

type kept struct {
	live bool // not a manifest
	text []byte
}

// Live reports whether any of them is an object of a cluster.
func (r Running) Live() bool {
	for _, s := range r {
		if s.live {
			return true
		}
	}
	return false
}

// object returns the one of a name, or nil.
func (r Running) object(name string) *unstructured.Unstructured {
	s, ok := r[name]
	if !ok {
		return nil
	}
	u := &unstructured.Unstructured{}
	if u.UnmarshalJSON(s.text) != nil { // not what MarshalJSON has written
		return nil
	}
	return u
}

// noteRunning notes a workload that nobody controls.
func (l *loader) noteRunning(u *unstructured.Unstructured) error {
	if _, found, err := unstructured.NestedFieldNoCopy(u.Object, "spec", "replicas"); !found && err == nil {
		if l.sizeless == nil {
			l.sizeless = map[string]bool{}
		}
		l.sizeless[u.GetKind()+" "+key(u)] = true
	}
	if !l.keep {
		return nil
	}
	name := kindOf(u) + " " + key(u)
	if _, ok := l.running[name]; ok {
		return nil
	}
	if l.running == nil {
		l.running = Running{}
	}
	text, err := u.MarshalJSON()
	l.running[name] = kept{merge.Live(u), bytes.Clone(text)} // no more than it needs
	return err
}
