// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/examples/kplan/internal/merge"
)

// Running are workloads as they were read, to which manifests may be applied. They are held
// as text, which takes a fraction of the memory.
type Running []kept

type kept struct {
	name string // kind and key
	live bool   // not a manifest
	text []byte
}

// Live reports whether any of them is an object of a cluster.
func (r Running) Live() bool { return slices.ContainsFunc(r, func(s kept) bool { return s.live }) }

// object returns the one of a name, or nil.
func (r Running) object(name string) *unstructured.Unstructured {
	i := slices.IndexFunc(r, func(s kept) bool { return s.name == name })
	if i < 0 {
		return nil
	}
	u := &unstructured.Unstructured{}
	if u.UnmarshalJSON(r[i].text) != nil { // not what MarshalJSON has written
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
	text, err := u.MarshalJSON()
	l.running = append(l.running, kept{kindOf(u) + " " + key(u), merge.Live(u), text})
	return err
}
