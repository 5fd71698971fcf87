// SPDX-License-Identifier: Apache-2.0

// Package manifest reads Deployments, DaemonSets and Rollouts, with their pods and other objects,
// from files that people write and that kubectl prints.
//
//	files of package files, or objects of a cluster
//	  -> apply                         to live objects
//	  -> load                          sort by kind: loader
//	  -> assemble                      complete each workload, by the loadX of its kind
//	  -> set, workload, argo, ...      the result: Set
package manifest

import (
	"cmp"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
	"github.com/kplan-go/kplan/kube"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout/batchrelease"
)

// Load reads a source. It does not access a cluster.
func Load(s Source) (*Set, error) {
	s.WithoutNodes = s.WithoutNodes || s.Whole
	l, err := s.read()
	if err != nil {
		return nil, err
	}
	if s.Beside != nil && s.Beside.surroundings != nil {
		l.beside(s.Beside.surroundings)
	}
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

func add[T any](l *loader, list *[]source[T], u *unstructured.Unstructured, file string) {
	addAs(l, list, u, file, func(object *T) *T { return object })
}

// addAs decodes an object, converts it and adds the result. It passes over an object that cannot be
// decoded.
func addAs[T, L any](l *loader, list *[]source[L], u *unstructured.Unstructured, file string, convert func(*T) *L) {
	object := new(T)
	unknown, err := decode(u, object)
	if err == nil {
		err = refuseUnknown(u, unknown, object)
	}
	if err != nil {
		l.passOver(u, &Error{File: file, Object: describe(u.GetKind(), u.GetName()), Err: err})
		return
	}
	if l.selected.passes(idOf(u)) {
		unknown = nil
	}
	for _, err := range unknown {
		l.notes = append(l.notes, fmt.Sprintf("%s: %s: %v", file, describe(u.GetKind(), u.GetName()), err))
	}
	if o, ok := any(object).(metav1.Object); ok {
		slimMeta(o)
	}
	result := convert(object)
	l.alike.share(result)
	*list = append(*list, source[L]{result, file})
}

// addLoose decodes an object of which only some fields are used, applies the functions to it, and
// adds the result. It notes no unknown fields.
func addLoose[T any](l *loader, list *[]source[T], u *unstructured.Unstructured, file string, convert ...func(*T) *T) {
	notes := len(l.notes)
	addAs(l, list, u, file, func(object *T) *T {
		for _, f := range convert {
			object = f(object)
		}
		return object
	})
	l.notes = l.notes[:notes]
}

// addProgressive adds an object that only Rollouts use. It reports whether the object is of such a
// kind.
func (l *loader) addProgressive(u *unstructured.Unstructured, file string) bool {
	p := &l.progressive
	switch u.GroupVersionKind().GroupKind().String() + " " + u.GetAPIVersion() {
	case "Rollout.rollouts.kruise.io " + kubekruise.V1beta1:
		addAs(l, &p.rollouts, u, file, readRollout)
	case "Rollout.rollouts.kruise.io " + kubekruise.V1alpha1:
		addAs(l, &p.rollouts, u, file, readRolloutV1alpha1)
	case "BatchRelease.rollouts.kruise.io " + kubekruise.V1beta1:
		addAs(l, &p.releases, u, file, func(o *kubekruise.BatchReleaseObject) *namespaced[batchrelease.Release] {
			return &namespaced[batchrelease.Release]{o.Namespace, kubekruise.BatchRelease(o)}
		})
	case "BatchRelease.rollouts.kruise.io " + kubekruise.V1alpha1:
		addAs(l, &p.releases, u, file, func(o *kubekruise.BatchReleaseObjectV1alpha1) *namespaced[batchrelease.Release] {
			return &namespaced[batchrelease.Release]{o.Namespace, kubekruise.BatchReleaseV1alpha1(o)}
		})
	default:
		return l.addPassed(u, file)
	}
	return true
}

// addPassed adds an object that is passed over without a Rollout. It reports whether the object is
// of such a kind.
func (l *loader) addPassed(u *unstructured.Unstructured, file string) bool {
	p, unread := &l.progressive, len(l.unread)
	switch u.GroupVersionKind().GroupKind().String() {
	case "CloneSet.apps.kruise.io":
		addLoose(l, &p.cloneSets, u, file, defaultCloneSet)
	case "StatefulSet.apps":
		addLoose(l, &p.statefuls, u, file, kube.Default[appsv1.StatefulSet])
	case "StatefulSet.apps.kruise.io":
		addLoose(l, &p.advanced, u, file, defaultAdvanced)
	case "Service":
		addLoose(l, &p.services, u, file)
	case "Ingress.networking.k8s.io":
		addLoose(l, &p.ingresses, u, file)
	case "HTTPRoute.gateway.networking.k8s.io":
		addLoose(l, &p.routes, u, file)
	case "TrafficRouting.rollouts.kruise.io":
		addLoose(l, &p.routings, u, file)
	default:
		return false
	}
	if len(l.unread) == unread { // otherwise a note names it
		count(&p.passed, u, file)
	}
	return true
}

// addLimit adds an object that limits workloads. It reports whether the object is of such a kind.
func (l *loader) addLimit(u *unstructured.Unstructured, file string) bool {
	switch kindOf(u) {
	case "v1 ResourceQuota":
		addLoose(l, &l.quotas, u, file)
	case "v1 LimitRange":
		addLoose(l, &l.ranges, u, file)
	case "v1 PersistentVolumeClaim":
		addLoose(l, &l.claims, u, file)
	case "policy/v1 PodDisruptionBudget":
		addLoose(l, &l.budgets, u, file)
	case "policy/v1beta1 PodDisruptionBudget":
		addLoose(l, &l.budgets, u, file, withoutEmptySelector)
	case "autoscaling/v2 HorizontalPodAutoscaler":
		addLoose(l, &l.autoscalers, u, file)
	case "autoscaling/v1 HorizontalPodAutoscaler", "autoscaling/v2beta1 HorizontalPodAutoscaler", "autoscaling/v2beta2 HorizontalPodAutoscaler":
		addAs(l, &l.autoscalers, u, file, (*olderAutoscaler).asV2)
	default:
		return false
	}
	return true
}
