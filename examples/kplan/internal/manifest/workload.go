// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"slices"

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

// loadDeployments returns the Deployments with their ReplicaSets and pods.
func (l *loader) loadDeployments(around *surroundings) ([]Workload, error) {
	taken, namespaces := names{}, l.namespaces()
	list := make([]Workload, 0, len(l.deployments))
	for _, source := range l.deployments {
		h, d := source.object, source.object.open()
		w := Workload{File: source.file, surroundings: around, failures: l.failures, held: h, namespace: namespaces[h.namespace]}
		before := d.Spec.Replicas
		w.scaled = l.autoscale("Deployment", d, &d.Spec.Replicas)
		if d.Spec.Replicas != before {
			h.replicas = d.Spec.Replicas
		}
		if err := taken.take(w.Key(), w.File); err != nil {
			return nil, w.Invalid(err)
		}
		if err := kube.Validate(d); err != nil {
			if err = l.reject(w.ID(), w.Invalid(err)); err != nil {
				return nil, err
			}
			continue
		}
		h.hadSets = hadSets(d)
		h.identify()
		h.close()
		list = append(list, w)
	}
	return list, l.assignReplicaSets(list)
}

// hadSets reports whether a Deployment has a ReplicaSet by its status.
func hadSets(d *appsv1.Deployment) bool {
	return isLive(d.UID) && (d.Status.Replicas > 0 || d.Annotations[revision.AnnotationRevision] != "")
}

// assignReplicaSets gives Deployments their ReplicaSets and the pods of these.
func (l *loader) assignReplicaSets(list []Workload) error {
	owners, deployments := map[types.UID]int{}, byUID(list) // of ReplicaSets
	for _, source := range l.replicaSets {
		rs := source.object
		if !rs.controlled {
			offer(list, rs)
			continue
		}
		i, ok := deployments[rs.owner()]
		if !ok {
			continue // no Deployment of the input controls it
		}
		if rs.wrong != nil {
			return &Error{File: source.file, Object: rs.describe(), Err: rs.wrong}
		}
		owners[rs.uid] = i
		list[i].sets = append(list[i].sets, rs)
	}
	for _, p := range l.pods {
		owner := metav1.GetControllerOfNoCopy(p.object)
		if owner == nil {
			continue
		}
		if i, ok := owners[owner.UID]; ok {
			list[i].Pods = append(list[i].Pods, p.object)
		}
	}
	return nil
}

// byUID returns the indexes of the Deployments by UID and namespace.
func byUID(list []Workload) map[owner]int {
	places := map[owner]int{}
	for i := range list {
		o := owner{list[i].held.uid, list[i].held.namespace}
		if _, ok := places[o]; !ok {
			places[o] = i
		}
	}
	return places
}

// offer gives a ReplicaSet without a controller to every Deployment of its namespace: the planner
// decides which one adopts it.
func offer(list []Workload, rs *heldSet) {
	for i := range list {
		if list[i].held.namespace == rs.namespace {
			list[i].sets = append(list[i].sets, rs)
		}
	}
}

// withdraw removes a ReplicaSet from the Deployments that it was offered to.
func withdraw(list []Workload, rs *heldSet) {
	for i := range list {
		w := &list[i]
		w.sets = slices.DeleteFunc(w.sets, func(o *heldSet) bool { return o == rs })
	}
}
