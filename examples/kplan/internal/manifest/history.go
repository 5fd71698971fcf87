// SPDX-License-Identifier: Apache-2.0

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
	return r, kube.Entries(w.Controlled())
}
