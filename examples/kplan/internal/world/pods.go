// SPDX-License-Identifier: Apache-2.0

package world

import (
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Owns returns a function that reports whether a UID belongs to the workload, to a workload that it
// releases, or to a ReplicaSet of either.
func (b *Beginning) Owns() func(uid string) bool {
	own := b.owners()
	return func(uid string) bool { return own[uid] }
}

func (b *Beginning) owners() map[string]bool {
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
	for _, uid := range slices.Collect(maps.Keys(own)) {
		for _, i := range b.index().sets[uid] {
			own[b.ReplicaSets[i].UID] = true
		}
	}
	return own
}

// index returns the index of the cluster, which it makes on first use.
func (c *Cluster) index() *index {
	if c.made != nil {
		return c.made
	}
	c.made = &index{sets: map[string][]int{}, pods: map[string]int{}}
	for i := range c.ReplicaSets {
		uid := c.ReplicaSets[i].ControllerUID
		c.made.sets[uid] = append(c.made.sets[uid], i)
	}
	c.eachPod(func(p *podorder.Pod) { c.made.pods[p.ControllerUID]++ })
	return c.made
}

// eachPod calls f for each pod that has not finished.
func (c *Cluster) eachPod(f func(*podorder.Pod)) {
	for i := range c.Pods {
		if p := &c.Pods[i]; !p.Finished() {
			f(p)
		}
	}
	for i := range c.DaemonPods {
		if p := &c.DaemonPods[i].Pod; !p.Finished() {
			f(p)
		}
	}
}

// released returns the UIDs of the workload of a Rollout of OpenKruise and of its canary
// Deployments.
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

// Running returns the number of pods of the workload that have not finished.
func (b *Beginning) Running() (n int) {
	for uid := range b.owners() {
		n += b.index().pods[uid]
	}
	return n
}

// RunningInNamespace returns the number of pods in the namespace that have not finished.
func (b *Beginning) RunningInNamespace() (n int) {
	prefix := strings.TrimSuffix(b.Name, b.Plain())
	b.eachPod(func(p *podorder.Pod) {
		if strings.HasPrefix(p.Name, prefix) {
			n++
		}
	})
	return n
}

// Own returns the templates of the workload: the wanted one, and the templates of its ReplicaSets.
func (b *Beginning) Own() (list []cluster.Template) {
	list = append(list, b.Templates[b.Template])
	for uid := range b.owners() {
		for _, i := range b.index().sets[uid] {
			list = append(list, templateOf(b.Templates, &b.ReplicaSets[i]))
		}
	}
	return list
}

// LimitPods limits the pods of a quota of the namespace. It adds the quota if it does not exist,
// and keeps a lower limit.
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

// Refuse makes the API server refuse new pods of a ReplicaSet with a message.
func (b *Beginning) Refuse(uid, why string) {
	id := b.TemplateOf(uid).ID
	t := b.Templates[id]
	t.Refused = why
	b.Templates[id] = t
}

// TemplateOf returns the template of the ReplicaSet with a UID, which must exist.
func (c *Cluster) TemplateOf(uid string) revision.Template {
	return named(c.ReplicaSets, func(o *replicaset.ReplicaSet) string { return o.UID }, uid).Template
}
