// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/merge"
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

// An ID tells objects of all kinds apart, whatever the version of their API.
type ID struct{ Kind, Group, Namespace, Name string }

// Placed returns the ID with the namespace that kubectl takes without one.
func (id ID) Placed() ID {
	id.Namespace = cmp.Or(id.Namespace, metav1.NamespaceDefault)
	return id
}

// ID returns that of the Deployment.
func (w *Workload) ID() ID {
	place := w.Place()
	return ID{"Deployment", "apps", place.Namespace, place.Name}
}

// ID returns that of the DaemonSet.
func (d *DaemonSet) ID() ID {
	id := ID{daemonset.Kind, "apps", d.Object.Namespace, d.Object.Name}
	if d.Advanced != nil {
		id.Group = kruiseApps
	}
	return id
}

// ID returns that of the ReplicaSet or ReplicationController.
func (r *ReplicaSet) ID() ID {
	id := ID{Kind: r.Kind, Namespace: r.Namespace, Name: r.Snapshot.ReplicaSet.Name}
	if r.Kind == "ReplicaSet" {
		id.Group = "apps"
	}
	return id
}

// ID returns that of the Rollout.
func (r *ArgoRollout) ID() ID {
	return ID{"Rollout", "argoproj.io", r.Object.Namespace, r.Object.Name}
}

// ID returns that of the Rollout.
func (r *Rollout) ID() ID {
	return ID{"Rollout", kruiseRollouts, r.Namespace, r.Snapshot.Rollout.Name}
}

// WorkloadID returns that of the workload of the Rollout.
func (r *Rollout) WorkloadID() ID {
	ref := &r.Workload.Ref
	return ID{ref.Kind, ref.Group(), r.Namespace, ref.Name}
}

// The API groups of OpenKruise.
const kruiseApps, kruiseRollouts = "apps.kruise.io", "rollouts.kruise.io"

// An Object is a workload of any kind, planned or not, or a Rollout, as the API server has it
// once it was applied: what another source may differ in.
type Object struct {
	ID
	File  string
	Wrong error // why the API server would reject it, so that it is not in the [Set]

	text   packed.Text
	packer *packed.Packer
}

// Open returns the object with its defaults, as far as the API server would fill them in.
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

// compared reports whether [Source.Whole] asks for an object: one that has pods, or releases
// what has, and that nothing else has made.
func compared(u *unstructured.Unstructured) bool {
	gvk := u.GroupVersionKind()
	known := Applied[kindOf(u)] || controllers[gvk.Kind] || gvk.Kind == "Rollout" && gvk.Group == kruiseRollouts
	return known && u.GetName() != "" && metav1.GetControllerOfNoCopy(u) == nil
}

// noteObject notes an object to be compared.
func (l *loader) noteObject(u *unstructured.Unstructured, file string) error {
	if !l.whole || !compared(u) {
		return nil
	}
	text, err := u.MarshalJSON()
	l.objects = append(l.objects, Object{ID: idOf(u), File: file, text: l.packer.Pack("as it was read", text), packer: l.packer})
	return err
}

func idOf(u *unstructured.Unstructured) ID {
	gvk := u.GroupVersionKind()
	return ID{gvk.Kind, gvk.Group, u.GetNamespace(), u.GetName()}
}

// reject returns the error of an object that the API server would reject. With
// [Source.Whole] that is told of the object, and all others stand.
func (l *loader) reject(id ID, err error) error {
	o := l.noted(id)
	if o == nil {
		return err
	}
	o.Wrong = err
	return nil
}

// rejected reports whether an object was.
func (l *loader) rejected(id ID) bool {
	o := l.noted(id)
	return o != nil && o.Wrong != nil
}

// noted returns an object that is to be compared, or nil.
func (l *loader) noted(id ID) *Object {
	i := slices.IndexFunc(l.objects, func(o Object) bool { return o.Placed() == id.Placed() })
	if i < 0 {
		return nil
	}
	return &l.objects[i]
}
