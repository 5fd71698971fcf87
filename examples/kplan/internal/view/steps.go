// SPDX-License-Identifier: Apache-2.0

package view

import (
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/record"
)

// historyOf is a recording as timelines read it.
func historyOf(r *sim.Recording) *record.History {
	h := &record.History{Start: r.Start}
	for i := range r.Pods {
		for _, s := range r.Pods[i].Stages {
			h.Saw(s.At, &r.Pods[i].Pod, record.Life(s.Stage))
		}
	}
	for i := range r.Deployments {
		m := &r.Deployments[i]
		h.Deployments = append(h.Deployments, record.Moment[deploy.Deployment]{Time: m.At, Object: m.Object.Deployment, Gone: m.Gone})
	}
	for i := range r.ReplicaSets {
		m := &r.ReplicaSets[i]
		h.ReplicaSets = append(h.ReplicaSets, record.Moment[replicaset.ReplicaSet]{Time: m.At, Object: m.Object, Gone: m.Gone})
	}
	for i := range r.DaemonSets {
		m := &r.DaemonSets[i]
		h.DaemonSets = append(h.DaemonSets, record.Moment[daemonset.DaemonSet]{Time: m.At, Object: m.Object.DaemonSet, Gone: m.Gone})
	}
	return h
}
