// SPDX-License-Identifier: Apache-2.0

package command

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
)

// differences names what differs of a workload that is simulated, or of the workload of a
// Rollout and the Rollout itself.
func (r *rows) differences(of identified) ([]view.Difference, error) {
	rollout, ok := of.(*manifest.Rollout)
	if !ok {
		return r.objectDifferences(of.ID(), of)
	}
	id, of := rollout.WorkloadID(), identified(nil)
	switch {
	case rollout.Deployment != nil:
		of = rollout.Deployment
	case rollout.DaemonSet != nil:
		of = rollout.DaemonSet
	}
	for i := range rollout.Canaries {
		r.told[rollout.Canaries[i].ID().Placed()] = true
	}
	list, err := r.objectDifferences(id, of)
	if err != nil {
		return nil, err
	}
	own, err := r.objectDifferences(rollout.ID(), nil)
	return append(list, own...), err
}

// An identified workload has an ID.
type identified interface{ ID() manifest.ID }

// objectDifferences names what differs of an object. If it is simulated, its pods are those
// that are: of the template that a Rollout names elsewhere, and as many as an autoscaler wants.
func (r *rows) objectDifferences(id manifest.ID, of identified) ([]view.Difference, error) {
	id = id.Placed()
	r.told[id] = true
	old, now := r.before[id], r.after[id]
	if now == nil {
		return nil, nil
	}
	if old == nil {
		return []view.Difference{{Part: "new"}}, nil
	}
	before, err := partsOf(old)
	if err != nil {
		return nil, err
	}
	after, err := partsOf(now)
	if err != nil {
		return nil, err
	}
	was, is := podsOf(of, r.old)
	was.into(before)
	is.into(after)
	return before.differences(after), nil
}

// Pods are those of a workload as it is simulated.
type pods struct {
	template *corev1.PodTemplateSpec
	replicas *int32
}

// into makes the parts of a workload those of these pods.
func (p *pods) into(s *parts) {
	if p.template != nil {
		s.template = p.template
	}
	if p.replicas != nil {
		s.rest["replicas"] = int64(*p.replicas)
	}
}

// podsOf returns those of a workload before and after.
func podsOf(of any, from *earlier) (before, after pods) {
	switch w := of.(type) {
	case *manifest.Workload:
		return podsOfDeployment(from.deployments[w.Key()]), podsOfDeployment(w)
	case *manifest.DaemonSet:
		return podsOfDaemonSet(from.daemonSets[w.Key()]), podsOfDaemonSet(w)
	case *manifest.ReplicaSet:
		if old := from.replicaSets[w.Key()]; old != nil {
			before = podsOfDeployment(&old.Workload)
		}
		return before, podsOfDeployment(&w.Workload)
	case *manifest.ArgoRollout:
		if old := from.argo[w.Key()]; old != nil {
			before = pods{&old.Object.Spec.Template, old.Object.Spec.Replicas}
		}
		return before, pods{&w.Object.Spec.Template, w.Object.Spec.Replicas}
	}
	return before, after
}

func podsOfDeployment(w *manifest.Workload) pods {
	if w == nil {
		return pods{}
	}
	w.Open()
	return pods{&w.Deployment.Spec.Template, w.Deployment.Spec.Replicas}
}

func podsOfDaemonSet(d *manifest.DaemonSet) pods {
	if d == nil {
		return pods{}
	}
	return pods{template: &d.Object.Spec.Template}
}
