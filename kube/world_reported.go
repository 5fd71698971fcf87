// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"cmp"
	"fmt"
	"time"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// reportedState is the state of a pod that is not ready and known by a status only.
const reportedState = "NotReady, by the status alone,"

// mostReported is the highest number of pods of a ReplicaSet that is read from a
// status.
const mostReported = 1_000_000

// reported returns the ReplicaSets with pods in their statuses but not in the input.
func (w *worldReader) reported() (sets []*replicaset.ReplicaSet) {
	have := map[string]bool{}
	for i := range w.s.Pods {
		have[w.s.Pods[i].ControllerUID] = true
	}
	for i := range w.s.ReplicaSets {
		if rs := &w.s.ReplicaSets[i]; rs.UID != "" && !have[rs.UID] && rs.Status.Replicas > 0 && rs.Status.Replicas <= mostReported {
			sets = append(sets, rs)
		}
	}
	return sets
}

// report adds the pods that are known by statuses only. It is not known why such a pod is not
// ready: it stays so if the rollout makes no progress.
func (w *worldReader) report(b *believer) {
	sets := w.reported()
	if len(sets) == 0 {
		return
	}
	nodes := scheduler.New(w.s.Nodes, len(w.s.Resources))
	w.eachBound(func(p *podorder.Pod, t cluster.Template) { nodes.Take(scheduler.Pod{Pod: p, Template: t}, p.NodeName) })
	for _, rs := range sets {
		id, unready := rs.Template.ID, rs.Status.Replicas-rs.Status.ReadyReplicas
		b.owned(id, rs.UID)
		b.ready[id], b.placed[id] = b.ready[id] || rs.Status.ReadyReplicas > 0, true
		stays := w.lags(rs)
		for n := range rs.Status.Replicas {
			p := reportedPod(rs, n, w.s.Now)
			want := scheduler.Pod{Pod: &p, Template: w.s.Templates[id]}
			if p.NodeName = want.Template.NodeName; p.NodeName == "" {
				p.NodeName = cmp.Or(scheduler.BinPack(want, nodes), "node") // or on some node, without taking room
			}
			nodes.Take(want, p.NodeName)
			if stays && !p.Ready {
				b.held[p.Name] = cluster.PodHold{Unready: true}
			}
			w.s.Pods = append(w.s.Pods, p)
			b.counts[cluster.Belief{Then: cluster.Reported, Of: rs.UID}]++
		}
		switch {
		case unready <= 0:
		case stays:
			b.counts[cluster.Belief{In: reportedState, Then: cluster.Stay, Of: rs.UID}] += int(unready)
			if rs.Status.ReadyReplicas <= 0 {
				b.broken[id], b.started[id] = true, true
			}
		default:
			b.counts[cluster.Belief{In: reportedState, Then: cluster.BecomeReady, Of: rs.UID}] += int(unready)
		}
	}
}

// reportedPod returns pod number n of a ReplicaSet: first the available pods, then other ready
// pods, and then the rest.
func reportedPod(rs *replicaset.ReplicaSet, n int32, now time.Time) podorder.Pod {
	p := podorder.Pod{
		Name: fmt.Sprintf("%s-reported-%d", rs.Name, n+1), UID: fmt.Sprintf("%s-%d", rs.UID, n+1), Labels: rs.TemplateLabels, CreationTimestamp: rs.CreationTimestamp,
		ControllerKind: cmp.Or(rs.Kind, "ReplicaSet"), ControllerName: rs.Name, ControllerUID: rs.UID, Phase: podorder.Running,
	}
	if p.Ready = n < rs.Status.ReadyReplicas; p.Ready {
		p.ReadySince = now
	}
	if n < rs.Status.AvailableReplicas && p.Ready {
		p.ReadySince = now.Add(-time.Duration(max(0, rs.MinReadySeconds)) * time.Second)
	}
	return p
}

// lags reports whether a rollout makes no progress for long, or has exceeded its
// deadline.
func (w *worldReader) lags(rs *replicaset.ReplicaSet) bool {
	since := rs.CreationTimestamp
	for i := range w.s.Deployments {
		if w.s.Deployments[i].UID != rs.ControllerUID {
			continue
		}
		for _, c := range w.s.Deployments[i].Status.Conditions {
			switch {
			case c.Type != deploy.ConditionProgressing:
			case c.Status == kplan.ConditionFalse:
				return true
			case c.LastUpdateTime.After(since):
				since = c.LastUpdateTime
			}
		}
	}
	return w.s.Now.Sub(since) > stuckAfter
}
