package manifest

import (
	appsv1 "k8s.io/api/apps/v1"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
)

// Controlled returns the ReplicaSets that the Deployment controls. Those that it may
// adopt are not among them.
func (w *Workload) Controlled() []*appsv1.ReplicaSet {
	var list []*appsv1.ReplicaSet
	for _, rs := range w.ReplicaSets {
		if controls(w.Deployment, rs) {
			list = append(list, rs)
		}
	}
	return list
}

// History returns the Deployment and the ReplicaSets that it controls, in the order
// of [Workload.Controlled], as package revision reads them.
func (w *Workload) History() (revision.Workload, []revision.Entry) {
	d := w.Deployment
	r := revision.Workload{
		Name: d.Name, Annotations: d.Annotations, Paused: d.Spec.Paused,
		Template: revision.Template{ID: kube.TemplateID(&d.Spec.Template)},
	}
	var entries []revision.Entry
	for _, rs := range w.Controlled() {
		entries = append(entries, entry(rs))
	}
	return r, entries
}

func entry(rs *appsv1.ReplicaSet) revision.Entry {
	r := kube.ReplicaSet(rs)
	return revision.Entry{
		Name: r.Name, UID: r.UID, ControllerUID: r.ControllerUID, Annotations: r.Annotations, Template: r.Template,
		TemplateAnnotations: rs.Spec.Template.Annotations,
		CreationTimestamp:   r.CreationTimestamp, DeletionTimestamp: r.DeletionTimestamp,
		Generation: r.Generation, Replicas: r.Replicas,
		Status: revision.EntryStatus{ObservedGeneration: r.Status.ObservedGeneration, Replicas: r.Status.Replicas},
	}
}
