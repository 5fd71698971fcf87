// SPDX-License-Identifier: Apache-2.0

// Package manifest reads Deployments, DaemonSets and Rollouts, with what belongs to them,
// from files as people write them and as kubectl prints them.
package manifest

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/examples/kplan/internal/packed"
	"github.com/kplan-go/kplan/kube"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
)

// standardInput is how messages name it.
const standardInput = "standard input"

// A Source is where to read from.
type Source struct {
	Filenames []string // files, folders, patterns, or "-" for standard input
	Recursive bool     // whether to read the folders within folders
	Built     []string // folders that kustomize builds
	Stdin     io.Reader
	Nodes     int // how many nodes there are at least; further ones are made
	Zones     int // of the nodes that are made, in turn; 0 means none
	// Whole is for comparing two sources: it asks for [Set.Objects], keeps as WithoutNodes
	// does, and takes what is not there for empty. What the API server would reject is told
	// of the object, and all others stand.
	Whole bool
	// WithoutNodes keeps DaemonSets although there is no node at all, and CloneSets and
	// StatefulSets although there is no Rollout: they are what is running.
	WithoutNodes bool
	// Running are live objects, to which the manifests of the same names are applied, by
	// Apply if that is set. Those of Beside serve if there are none.
	Running []*unstructured.Unstructured
	Apply   func(live, manifest *unstructured.Unstructured) (*unstructured.Unstructured, error)
	// Reading, if set, is told of every object of the files: which file it is in, and how many
	// there were with it.
	Reading func(file string, objects int)
	// Keep asks for [Set.Running].
	Keep bool
	// Packer, if set, is what packs the objects.
	Packer *packed.Packer
	// Namespace is that of manifests without one, if it is known.
	Namespace string
	// Also are objects of a cluster beside the files.
	Also []*unstructured.Unstructured
	// Beside is what was read already of the same cluster. Its nodes count.
	Beside *Set

	// Objects are read instead of files if there are any: those of a cluster.
	Objects []*unstructured.Unstructured
	// Only are the UIDs of what is wanted of them, together with the workloads of
	// Rollouts. What else there is belongs to it, and is passed over in silence.
	Only []types.UID

	absent *[]string // which of the names stand for no file
}

// cluster is how messages name where [Source.Objects] come from.
const cluster = "cluster"

// A Set is what a source holds, in the order of the source.
type Set struct {
	Workloads  []Workload
	DaemonSets []DaemonSet
	Rollouts   []Rollout
	PodSets    []PodSet // of Rollouts
	Argo       []ArgoRollout
	// ReplicaSets are those that are planned by themselves, with ReplicationControllers.
	ReplicaSets []ReplicaSet
	Shared      Shared
	Running     Running   // workloads as they were read, if [Source.Keep] asks for them
	Notes       []string  // what was passed over, for the user to know
	Latest      time.Time // that any object tells, zero if none does
	Objects     []Object  // all workloads, if [Source.Whole] asks for them
	Absent      []string  // what is wrong with names of files that stand for none
	limits      *limitObjects
}

// Load reads a source. It accesses no cluster.
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
	l := &loader{keep: s.Keep, whole: s.Whole, limitObjects: &limitObjects{}, packer: cmp.Or(s.Packer, &packed.Packer{})}
	s.absent = &l.absent
	for _, u := range s.Objects {
		if err := l.add(u, cluster); err != nil {
			return nil, err
		}
	}
	if s.Objects != nil {
		return l, nil
	}
	n := 0
	err := s.each(func(u *unstructured.Unstructured, file string) error {
		if n++; s.Reading != nil {
			s.Reading(file, n)
		}
		u, err := s.apply(u, file)
		if err != nil {
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

// keep leaves only what has one of the UIDs, the workloads of such Rollouts, and manifests.
func (s *Set) keep(only []types.UID) {
	s.Notes = removeNotesOf(s.Notes, cluster)
	asked := func(uid types.UID) bool {
		return slices.Contains(only, uid) || strings.HasPrefix(string(uid), manifestUID)
	}
	s.Rollouts = slices.DeleteFunc(s.Rollouts, func(r Rollout) bool { return !asked(types.UID(r.Snapshot.Rollout.UID)) })
	for i := range s.Rollouts {
		only = append(only[:len(only):len(only)], types.UID(s.Rollouts[i].Workload.UID))
	}
	s.Workloads = slices.DeleteFunc(s.Workloads, func(w Workload) bool { return !asked(w.held.uid) })
	s.Argo = slices.DeleteFunc(s.Argo, func(r ArgoRollout) bool { return !asked(r.Object.UID) })
	s.DaemonSets = slices.DeleteFunc(s.DaemonSets, func(d DaemonSet) bool { return !asked(d.Object.UID) })
	s.ReplicaSets = slices.DeleteFunc(s.ReplicaSets, func(r ReplicaSet) bool { return !asked(types.UID(r.Snapshot.ReplicaSet.UID)) })
}

// A loader sorts objects by kind.
type loader struct {
	deployments []source[heldDeployment]
	replicaSets []source[heldSet]
	controllers []source[heldSet] // ReplicationControllers in this form
	packer      *packed.Packer
	pods        []source[corev1.Pod]
	daemonSets  []source[DaemonSet]
	nodes       []source[corev1.Node]
	revisions   []source[appsv1.ControllerRevision]
	argo        []source[kubeargo.RolloutObject]
	alike       alike
	byNamespace map[string]*namespace
	elsewhere   []*corev1.Pod // of a source that was read before
	keep        bool
	whole       bool
	objects     []Object
	absent      []string
	running     Running
	sizeless    map[string]bool // workloads without replicas, by kind and key
	notes       []string
	skipped     map[string]int // by kind
	latest      time.Time
	progressive
	failures
	*limitObjects // on their own: workloads keep them, and not all else
}

// A source is an object and the file that holds it.
type source[T any] struct {
	object *T
	file   string
}

func (l *loader) add(u *unstructured.Unstructured, file string) error {
	l.notice(u)
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
		return addAs(l, &l.daemonSets, u, file, func(ds *appsv1.DaemonSet) *DaemonSet { return &DaemonSet{Object: kube.Default(ds)} })
	case "apps.kruise.io/v1alpha1 DaemonSet", "apps.kruise.io/v1beta1 DaemonSet":
		return addAs(l, &l.daemonSets, u, file, (*advancedDaemonSet).split)
	case "v1 Node":
		return addAs(l, &l.nodes, u, file, slimNode)
	case "apps/v1 ControllerRevision":
		return add(l, &l.revisions, u, file)
	case kubeargo.V1alpha1 + " Rollout":
		return add(l, &l.argo, u, file)
	case "apps/v1 Deployment":
		return addAs(l, &l.deployments, u, file, func(d *appsv1.Deployment) *heldDeployment { return l.holdDeployment(kube.Default(d)) })
	case "apps/v1 ReplicaSet":
		return addAs(l, &l.replicaSets, u, file, func(rs *appsv1.ReplicaSet) *heldSet { return l.holdSet(kube.Default(rs)) })
	case "v1 ReplicationController":
		return addAs(l, &l.controllers, u, file, func(rc *corev1.ReplicationController) *heldSet { return l.holdSet(fromController(rc)) })
	case "v1 Pod":
		return addAs(l, &l.pods, u, file, slimPod)
	}
	if l.addEvent(u) {
		return nil
	}
	if known, err := l.addLimit(u, file); known {
		return err
	}
	if known, err := l.addProgressive(u, file); known {
		return err
	}
	l.skip(u, file)
	return nil
}

func add[T any](l *loader, list *[]source[T], u *unstructured.Unstructured, file string) error {
	return addAs(l, list, u, file, func(object *T) *T { return object })
}

// addAs decodes an object and adds what becomes of it.
func addAs[T, L any](l *loader, list *[]source[L], u *unstructured.Unstructured, file string, convert func(*T) *L) error {
	object := new(T)
	unknown, err := decode(u, object)
	if err == nil {
		err = refuseUnknown(u, unknown, object)
	}
	if err != nil {
		return l.reject(idOf(u), &Error{File: file, Object: describe(u.GetKind(), u.GetName()), Err: err})
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
	return nil
}
