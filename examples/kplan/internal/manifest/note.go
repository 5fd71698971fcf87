// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/examples/kplan/internal/merge"
)

// noteRunning notes a workload without a controller.
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
	if _, ok := l.running.byName[name]; ok {
		return nil
	}
	if l.running.byName == nil {
		l.running = Running{map[string]kept{}, l.packer}
	}
	text, err := u.MarshalJSON()
	l.running.byName[name] = kept{merge.Live(u), l.packer.Pack("as it was read", text)}
	return err
}

// noteObject notes an object for a comparison.
func (l *loader) noteObject(u *unstructured.Unstructured, file string) error {
	if !l.whole || !compared(u) {
		return nil
	}
	text, err := u.MarshalJSON()
	l.objects = append(l.objects, Object{ID: idOf(u), File: file, text: l.packer.Pack("as it was read", text), packer: l.packer})
	return err
}

// reject returns the error of an object that the API server would reject. With [Source.Whole] it
// stores the error in the object and returns nil, so that other objects are still planned. It also
// returns nil for an object outside of the selection.
func (l *loader) reject(id ID, err error) error {
	o := l.noted(id)
	switch {
	case l.selected.passes(id):
		return nil
	case o == nil:
		return err
	}
	o.Wrong = err
	return nil
}

// rejected reports whether reject stored an error for an object.
func (l *loader) rejected(id ID) bool {
	o := l.noted(id)
	return o != nil && o.Wrong != nil
}

// noted returns an object noted for a comparison, or nil.
func (l *loader) noted(id ID) *Object {
	i := slices.IndexFunc(l.objects, func(o Object) bool { return o.Placed() == id.Placed() })
	if i < 0 {
		return nil
	}
	return &l.objects[i]
}
