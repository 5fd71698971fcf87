// SPDX-License-Identifier: Apache-2.0

// Package manifest reads Deployments, DaemonSets and Rollouts, with their pods and other objects,
// from files that people write and that kubectl prints.
//
//	files of package files, or objects of a cluster
//	  -> apply                          to live objects
//	  -> load, progressive              sort by kind: loader
//	  -> assemble, *_load               complete each workload
//	  -> set, workload, daemonset, ...  the result: Set
//
// The files of the last line do not depend on the loader.
package manifest

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
	"github.com/kplan-go/kplan/kube"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
)

// Load reads a source. It does not access a cluster.
func Load(s Source) (*Set, error) {
	s.WithoutNodes = s.WithoutNodes || s.Whole
	l, err := s.read()
	if err != nil {
		return nil, err
	}
	l.beside(s.Beside)
	set, err := l.set(s)
	if err == nil && (s.Objects != nil || s.Only != nil) {
		set.keep(s.Only)
	}
	return set, err
}

func (s Source) read() (*loader, error) {
	l := &loader{selected: selected{Selection: s.Select, namespace: s.Namespace}, keep: s.Keep, whole: s.Whole, limitObjects: &limitObjects{}, packer: cmp.Or(s.Packer, &packed.Packer{}), admission: s.Admission}
	for _, u := range s.Objects {
		u, err := l.edited(&s, u, cluster)
		if err == nil && u != nil {
			err = l.add(u, cluster)
		}
		if err != nil {
			return nil, err
		}
	}
	if s.Objects != nil {
		return l, nil
	}
	from := s.files()
	if s.Whole {
		from.Absent = func(text string) { l.absent = append(l.absent, text) }
	}
	n := 0
	err := from.Each(func(u *unstructured.Unstructured, file string) error {
		if n++; s.Reading != nil {
			s.Reading(file, n)
		}
		u, err := l.edited(&s, u, file)
		if err == nil && u != nil {
			u, err = s.apply(u, file)
		}
		if err != nil || u == nil {
			return err
		}
		return l.add(u, file)
	})
	for _, u := range s.Also {
		if err == nil {
			err = l.add(u, cluster)
		}
	}
	l.fillNamespace(s.Namespace)
	if s.WithoutNodes {
		delete(l.passed, "CloneSet")
		delete(l.passed, "StatefulSet")
	}
	l.summarise()
	return l, err
}

func (l *loader) add(u *unstructured.Unstructured, file string) error {
	l.latest.notice(u)
	l.selected.see(u)
	if err := l.noteObject(u, file); err != nil {
		return err
	}
	if (Applied[kindOf(u)] || l.whole && compared(u)) && metav1.GetControllerOfNoCopy(u) == nil {
		if err := l.noteRunning(u); err != nil {
			return err
		}
	}
	switch u.GetAPIVersion() + " " + u.GetKind() {
	case "apps/v1 DaemonSet":
		addAs(l, &l.daemonSets, u, file, func(ds *appsv1.DaemonSet) *DaemonSet { return &DaemonSet{Object: kube.Default(ds)} })
	case "apps.kruise.io/v1alpha1 DaemonSet", "apps.kruise.io/v1beta1 DaemonSet":
		addAs(l, &l.daemonSets, u, file, (*advancedDaemonSet).split)
	case "v1 Node":
		addAs(l, &l.nodes, u, file, slimNode)
	case "apps/v1 ControllerRevision":
		add(l, &l.revisions, u, file)
	case kubeargo.V1alpha1 + " Rollout":
		add(l, &l.argo, u, file)
	case "apps/v1 Deployment":
		addAs(l, &l.deployments, u, file, func(d *appsv1.Deployment) *heldDeployment { return holdDeployment(kube.Default(d), l.packer) })
	case "apps/v1 ReplicaSet":
		addAs(l, &l.replicaSets, u, file, func(rs *appsv1.ReplicaSet) *heldSet { return holdSet(kube.Default(rs), l.packer) })
	case "v1 ReplicationController":
		addAs(l, &l.controllers, u, file, func(rc *corev1.ReplicationController) *heldSet { return holdSet(fromController(rc), l.packer) })
	case "v1 Pod":
		addAs(l, &l.pods, u, file, slimPod)
	case "v1 Event", "events.k8s.io/v1 Event", "events.k8s.io/v1beta1 Event":
		last, err := l.failures.add(u)
		if l.latest.see(last); err != nil {
			l.passOver(u, &Error{File: file, Object: describe(u.GetKind(), u.GetName()), Err: err})
		}
	default:
		if !l.addLimit(u, file) && !l.addProgressive(u, file) {
			l.skip(u, file)
		}
	}
	return nil
}
