// SPDX-License-Identifier: Apache-2.0

package world

import (
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Owns reports whether a UID is that of the workload, of what it releases, or of a ReplicaSet of either.
func (b *Beginning) Owns() func(uid string) bool {
	own := map[string]bool{}
	switch b.Kind {
	case sim.KindDeployment:
		own[b.Deployment().UID] = true
	case sim.KindReplicaSet:
		own[b.ReplicaSet().UID] = true
	case sim.KindDaemonSet:
		own[b.DaemonSet().UID] = true
	case sim.KindArgoRollout:
		own[b.argo().UID] = true
	case sim.KindRollout:
		for _, uid := range b.released() {
			own[uid] = true
		}
	}
	delete(own, "")
	for i := range b.ReplicaSets {
		if rs := &b.ReplicaSets[i]; own[rs.ControllerUID] {
			own[rs.UID] = true
		}
	}
	return func(uid string) bool { return own[uid] }
}

// released are the UIDs of what a Rollout of OpenKruise releases, and of Deployments that it has made.
func (b *Beginning) released() (uids []string) {
	r := b.release()
	switch r.WorkloadRef.Kind {
	case deploy.Kind:
		uids = []string{b.Deployment().UID}
	case daemonset.Kind:
		uids = []string{b.DaemonSet().UID}
	default:
		uids = []string{b.Set().UID}
	}
	for _, m := range b.Meta {
		for i := range b.Releases {
			if m.Kind == deploy.Kind && m.ControllerUID != "" && b.Releases[i].Name == b.Name && m.ControllerUID == b.Releases[i].UID {
				uids = append(uids, named(b.Deployments, deploymentName, m.Name).UID)
			}
		}
	}
	return uids
}

// Running is how many pods it has that have not ended.
func (b *Beginning) Running() int {
	owns := b.Owns()
	return b.running(func(p *podorder.Pod) bool { return owns(p.ControllerUID) })
}

// running is how many pods, of those for which a function holds, have not ended.
func (c *Cluster) running(of func(*podorder.Pod) bool) (n int) {
	count := func(p *podorder.Pod) {
		if of(p) && !p.Finished() {
			n++
		}
	}
	for i := range c.Pods {
		count(&c.Pods[i])
	}
	for i := range c.DaemonPods {
		count(&c.DaemonPods[i].Pod)
	}
	return n
}

// RunningInNamespace is how many pods of its namespace have not ended.
func (b *Beginning) RunningInNamespace() int {
	prefix := strings.TrimSuffix(b.Name, b.Plain())
	return b.running(func(p *podorder.Pod) bool { return strings.HasPrefix(p.Name, prefix) })
}

// LimitPods lets a quota of its namespace have so many pods, unless the quota is there and has fewer.
func (b *Beginning) LimitPods(quota string, pods int) {
	name := strings.TrimPrefix(b.Namespace+"/"+quota, "/")
	for i := range b.Quotas {
		if q := &b.Quotas[i]; q.Name == name {
			if hard, limits := q.Hard["pods"]; !limits || hard > int64(pods) {
				q.Hard["pods"] = int64(max(0, pods))
			}
			return
		}
	}
	b.Quotas = append(b.Quotas, cluster.Quota{Name: name, Hard: map[string]int64{"pods": int64(max(0, pods))}})
}

// Refuse lets the API server refuse new pods of a ReplicaSet, in its words.
func (b *Beginning) Refuse(uid, why string) {
	id := b.TemplateOf(uid).ID
	t := b.Templates[id]
	t.Refused = why
	b.Templates[id] = t
}

// TemplateOf returns the template of a ReplicaSet, which must be there.
func (c *Cluster) TemplateOf(uid string) revision.Template {
	return named(c.ReplicaSets, func(o *replicaset.ReplicaSet) string { return o.UID }, uid).Template
}
