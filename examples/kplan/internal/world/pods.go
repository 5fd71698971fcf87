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

// Owns returns a function that reports whether a UID is that of the workload, of what it releases, or of a
// ReplicaSet of either.
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

// index returns that of the cluster, which is made once.
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

// eachPod calls a function for each pod that has not ended.
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
func (b *Beginning) Running() (n int) {
	for uid := range b.owners() {
		n += b.index().pods[uid]
	}
	return n
}

// RunningInNamespace is how many pods of its namespace have not ended.
func (b *Beginning) RunningInNamespace() (n int) {
	prefix := strings.TrimSuffix(b.Name, b.Plain())
	b.eachPod(func(p *podorder.Pod) {
		if strings.HasPrefix(p.Name, prefix) {
			n++
		}
	})
	return n
}

// Own returns what the templates of the workload mean: of its ReplicaSets, and the wanted one.
func (b *Beginning) Own() (list []cluster.Template) {
	list = append(list, b.Templates[b.Template])
	for uid := range b.owners() {
		for _, i := range b.index().sets[uid] {
			list = append(list, templateOf(b.Templates, &b.ReplicaSets[i]))
		}
	}
	return list
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
