// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// A Workload is a Deployment with its ReplicaSets and pods.
type Workload struct {
	File        string
	Deployment  *appsv1.Deployment // nil, like ReplicaSets, unless the workload is open
	ReplicaSets []*appsv1.ReplicaSet
	Pods        []*corev1.Pod // of these ReplicaSets
	*surroundings

	kind      string          // "" means Deployment
	held      *heldDeployment // nil for a ReplicaSet on its own, which is always open
	sets      []*heldSet
	namespace *namespace
	failures  failures
	scaled    Scaling
}

// Open decodes the Deployment and its ReplicaSets, unless they are open.
func (w *Workload) Open() {
	if w.held == nil || w.Deployment != nil {
		return
	}
	w.Deployment = w.held.open()
	for _, rs := range w.sets {
		w.ReplicaSets = append(w.ReplicaSets, rs.open())
	}
}

// Drop releases the Deployment with its ReplicaSets and pods. Call it after the last use of them.
func (w *Workload) Drop() {
	w.ReplicaSets, w.Pods = nil, nil
	for _, rs := range w.sets {
		rs.close()
	}
	w.sets = nil
	if w.held == nil {
		return
	}
	w.Deployment = nil
	w.held.close()
	if w.namespace != nil {
		w.namespace.drop(w.held.uid)
	}
}

// head returns the namespace, name and UID.
func (w *Workload) head() head {
	if w.held != nil {
		return w.held.head
	}
	return headOf(w.Deployment)
}

// Place returns the namespace and name, even if the workload is not open.
func (w *Workload) Place() types.NamespacedName {
	h := w.head()
	return types.NamespacedName{Namespace: h.namespace, Name: h.name}
}

// Name returns the kind and name of the workload, for messages.
func (w *Workload) Name() string { return describe(cmp.Or(w.kind, "Deployment"), w.head().name) }

// Placed returns the kind, namespace and name of the workload, for notes.
func (w *Workload) Placed() string { return placed(cmp.Or(w.kind, "Deployment"), w.head()) }

// Key identifies the workload among all workloads.
func (w *Workload) Key() string { return w.head().key() }

// Invalid returns err as an error of the workload.
func (w *Workload) Invalid(err error) error {
	return &Error{File: w.File, Object: w.Name(), Err: err}
}

// Snapshot returns the input of the planner.
func (w *Workload) Snapshot() (deploy.Snapshot, error) {
	s, err := kube.Snapshot(w.Deployment, w.ReplicaSets, w.Pods)
	if err != nil {
		return s, w.Invalid(err)
	}
	s.Deployment.Partitioned = deploy.PartitionedBy(s.Deployment)
	return s, nil
}

func controls(d *appsv1.Deployment, rs *appsv1.ReplicaSet) bool {
	owner := metav1.GetControllerOfNoCopy(rs)
	return owner != nil && owner.UID == d.UID && rs.Namespace == d.Namespace
}

// ID returns the ID of the Deployment.
func (w *Workload) ID() ID {
	place := w.Place()
	return ID{"Deployment", "apps", place.Namespace, place.Name}
}

// Controlled returns the ReplicaSets that the Deployment controls, without ReplicaSets that it may
// adopt.
func (w *Workload) Controlled() []*appsv1.ReplicaSet {
	var list []*appsv1.ReplicaSet
	for _, rs := range w.ReplicaSets {
		if controls(w.Deployment, rs) {
			list = append(list, rs)
		}
	}
	return list
}

// PodsOfSets returns the pods of all ReplicaSets, including ReplicaSets that the Deployment may
// adopt.
func (w *Workload) PodsOfSets() []*corev1.Pod {
	list := w.Pods
	for _, rs := range w.ReplicaSets {
		if controls(w.Deployment, rs) {
			continue
		}
		for _, p := range w.pods {
			if metav1.IsControlledBy(p, rs) && p.Namespace == rs.Namespace {
				list = append(list[:len(list):len(list)], p)
			}
		}
	}
	return list
}

// History returns the Deployment and the ReplicaSets that it controls, in the order of
// [Workload.Controlled], as package revision reads them.
func (w *Workload) History() (revision.Workload, []revision.Entry) {
	d := w.Deployment
	r := revision.Workload{
		Name: d.Name, Annotations: d.Annotations, Paused: d.Spec.Paused,
		Template: revision.Template{ID: kube.TemplateID(&d.Spec.Template)},
	}
	return r, kube.Entries(w.Controlled())
}

// Failures returns the failures that events report about pods the ReplicaSets of the Deployment
// could not create, in the order of the ReplicaSets.
func (w *Workload) Failures() (list []Failure) {
	for _, rs := range w.Controlled() {
		if f, ok := w.failures.byUID[rs.UID]; ok {
			list = append(list, f)
		}
	}
	return list
}

// PodSnapshots returns the planner input of each ReplicaSet that the Deployment controls and that
// has its pods in the input.
func (w *Workload) PodSnapshots() []replicaset.Snapshot {
	var snapshots []replicaset.Snapshot
	for _, rs := range w.sets {
		if controls(w.Deployment, rs.open()) && w.namespace.hasPodsOf(rs) {
			snapshots = append(snapshots, w.namespace.snapshot(kube.ReplicaSet(rs.open())))
		}
	}
	return snapshots
}

// Scaled returns the replicas that an autoscaler will set on a live workload that is out of bounds,
// or nil.
func (w *Workload) Scaled() *int32 { return w.scaled.To }
