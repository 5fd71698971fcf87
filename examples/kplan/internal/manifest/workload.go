// SPDX-License-Identifier: Apache-2.0

package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/kube"
)

// A Workload is a Deployment with what it controls.
type Workload struct {
	File        string
	Deployment  *appsv1.Deployment // nil unless the workload is open, as are the next
	ReplicaSets []*appsv1.ReplicaSet
	Pods        []*corev1.Pod // of these ReplicaSets
	Nodes       []*corev1.Node

	kind      string          // "" is Deployment
	held      *heldDeployment // nil for a ReplicaSet by itself, which is always open
	sets      []*heldSet
	namespace *namespace
	shared    *Shared
	limits    *limitObjects
	failures  failures
	scaled    Scaling
}

// Open reads the Deployment and what it controls, unless it is open.
func (w *Workload) Open() {
	if w.held == nil || w.Deployment != nil {
		return
	}
	w.Deployment = w.held.open()
	for _, rs := range w.sets {
		w.ReplicaSets = append(w.ReplicaSets, rs.open())
	}
}

// Drop gives away the Deployment and what it controls, of which there is most, behind the
// last use of it.
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

// Opened gives the workloads one after the other, each open until the next, and gives them
// away behind that.
func (s *Set) Opened() iter.Seq2[int, *Workload] {
	return func(yield func(int, *Workload) bool) {
		for i := range s.Workloads {
			w := &s.Workloads[i]
			if w.Open(); !yield(i, w) {
				return
			}
			w.Drop()
		}
	}
}

// Shared returns what the workload has to do with beside what it controls.
func (w *Workload) Shared() Shared { return *w.shared }

// head returns what the workload is found by.
func (w *Workload) head() head {
	if w.held != nil {
		return w.held.head
	}
	return headOf(w.Deployment)
}

// Place returns the namespace and the name, also of a workload that is not open.
func (w *Workload) Place() types.NamespacedName {
	h := w.head()
	return types.NamespacedName{Namespace: h.namespace, Name: h.name}
}

// Name returns what messages call the workload.
func (w *Workload) Name() string { return describe(cmp.Or(w.kind, "Deployment"), w.head().name) }

// Key tells workloads apart.
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

// noWorkload tells that there is nothing to plan.
const noWorkload = "no Deployment, DaemonSet, Rollout, ReplicaSet or ReplicationController in the input"

// set puts together what belongs together.
func (l *loader) set(from Source) (*Set, error) {
	sets, err := l.podSets()
	if err != nil {
		return nil, err
	}
	running := from.WithoutNodes && len(sets) > 0 || from.Whole
	if len(l.deployments)+len(l.daemonSets)+len(l.rollouts)+len(l.argo)+len(l.replicaSets)+len(l.controllers) == 0 && !running {
		return nil, passedOver(noWorkload, l.notes)
	}
	l.identifyReplicaSets()
	s := &Set{Notes: slices.Clone(l.notes), Shared: l.shared(), Running: l.running, Latest: l.latest, PodSets: sets, limits: l.limitObjects}
	if err := l.assignArgo(s); err != nil {
		return nil, err
	}
	if err := l.assignDeployments(s); err != nil {
		return nil, err
	}
	if err := l.assignAlone(s, from); err != nil {
		return nil, err
	}
	if err := l.assignDaemonSets(s, from); err != nil {
		return nil, err
	}
	if err := l.assignRollouts(s); err != nil {
		return nil, err
	}
	s.Objects, s.Absent = l.objects, l.absent
	if s.empty() && !running {
		return nil, l.nothing(s.Notes)
	}
	return s, l.dropPartial(s, from)
}

// passedOver returns an error, with the first of the objects that are not looked at.
func passedOver(text string, notes []string) error {
	switch {
	case len(notes) == 1:
		text += "; " + notes[0]
	case len(notes) > 1:
		text += fmt.Sprintf("; %s (and %d more)", notes[0], len(notes)-1)
	}
	return errors.New(text)
}

// nothing returns why nothing can be said about the first DaemonSet or Rollout, or what the
// notes tell of ReplicaSets.
func (l *loader) nothing(notes []string) error {
	switch {
	case len(l.daemonSets) > 0:
		d := l.daemonSets[0]
		return &Error{File: d.file, Object: d.object.Name(), Err: ErrNoNode}
	case len(l.rollouts) > 0:
		r := l.rollouts[0]
		return &Error{File: r.file, Object: describe("Rollout", r.object.object.Name), Err: errNoWorkload}
	}
	return passedOver("nothing to plan in the input", notes)
}

// assignDeployments puts together Deployments with what they control.
func (l *loader) assignDeployments(s *Set) error {
	files, namespaces := map[string]string{}, l.namespaces()
	s.Workloads = make([]Workload, 0, len(l.deployments))
	for _, source := range l.deployments {
		h, d := source.object, source.object.open()
		w := Workload{File: source.file, limits: l.limitObjects, failures: l.failures, held: h, shared: &s.Shared, namespace: namespaces[h.namespace]}
		before := d.Spec.Replicas
		w.scaled = l.autoscale("Deployment", d, &d.Spec.Replicas)
		if d.Spec.Replicas != before {
			h.replicas = d.Spec.Replicas
		}
		if first, ok := files[w.Key()]; ok {
			return w.Invalid(fmt.Errorf("there is one of this name already, in %s", first))
		}
		files[w.Key()] = source.file
		if err := kube.Validate(d); err != nil {
			if err = l.reject(w.ID(), w.Invalid(err)); err != nil {
				return err
			}
			continue
		}
		h.hadSets = hadSets(d)
		h.identify()
		h.close()
		s.Workloads = append(s.Workloads, w)
	}
	return l.assignReplicaSets(s)
}

// manifestUID is what the UIDs of manifests begin with.
const manifestUID = "manifest/"

// identify gives an object the UID and the generation that it lacks as long as it is a
// manifest.
func identify(o *metav1.ObjectMeta, kind string) {
	if o.UID == "" {
		o.UID = madeUID(kind, o.Namespace, o.Name)
	}
	o.Generation = max(o.Generation, 1)
}

func madeUID(kind, namespace, name string) types.UID {
	return types.UID(manifestUID + namespace + "/" + kind + name)
}

func (l *loader) assignReplicaSets(s *Set) error {
	owners, deployments := map[types.UID]int{}, s.byUID() // of ReplicaSets
	for _, source := range l.replicaSets {
		rs := source.object
		if !rs.controlled {
			s.offer(rs)
			continue
		}
		i, ok := deployments[rs.owner()]
		if !ok {
			continue // of something else
		}
		if rs.wrong != nil {
			return &Error{File: source.file, Object: rs.describe(), Err: rs.wrong}
		}
		owners[rs.uid] = i
		s.Workloads[i].sets = append(s.Workloads[i].sets, rs)
	}
	for _, p := range l.pods {
		owner := metav1.GetControllerOfNoCopy(p.object)
		if owner == nil {
			continue
		}
		if i, ok := owners[owner.UID]; ok {
			s.Workloads[i].Pods = append(s.Workloads[i].Pods, p.object)
		}
	}
	return nil
}

// An owner is what controls something, by what tells it apart.
type owner struct {
	uid       types.UID
	namespace string
}

// byUID returns the places of the Deployments.
func (s *Set) byUID() map[owner]int {
	places := map[owner]int{}
	for i := range s.Workloads {
		o := owner{s.Workloads[i].held.uid, s.Workloads[i].held.namespace}
		if _, ok := places[o]; !ok {
			places[o] = i
		}
	}
	return places
}

// offer shows a ReplicaSet without a controller to every Deployment of its
// namespace: the planner decides who adopts it.
func (s *Set) offer(rs *heldSet) {
	for i := range s.Workloads {
		if s.Workloads[i].held.namespace == rs.namespace {
			s.Workloads[i].sets = append(s.Workloads[i].sets, rs)
		}
	}
}

// withdraw takes a ReplicaSet away from the Deployments that it was offered to.
func (s *Set) withdraw(rs *heldSet) {
	for i := range s.Workloads {
		w := &s.Workloads[i]
		w.sets = slices.DeleteFunc(w.sets, func(o *heldSet) bool { return o == rs })
	}
}

func controls(d *appsv1.Deployment, rs *appsv1.ReplicaSet) bool {
	owner := metav1.GetControllerOfNoCopy(rs)
	return owner != nil && owner.UID == d.UID && rs.Namespace == d.Namespace
}

func checkReplicaSet(rs *appsv1.ReplicaSet) error {
	switch {
	case rs.UID == "":
		return &kube.FieldError{Path: "metadata.uid", Value: "", Detail: "must be set"}
	case rs.Spec.Replicas != nil && *rs.Spec.Replicas < 0:
		return &kube.FieldError{Path: "spec.replicas", Value: *rs.Spec.Replicas, Detail: "must not be negative"}
	case rs.Spec.MinReadySeconds < 0:
		return &kube.FieldError{Path: "spec.minReadySeconds", Value: rs.Spec.MinReadySeconds, Detail: "must not be negative"}
	}
	return nil
}
