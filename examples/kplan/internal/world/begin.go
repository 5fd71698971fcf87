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
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
	"github.com/kplan-go/kplan/rollout/workload"
)

// Place moves pods on unknown nodes to the known nodes, in turn. It prefers nodes with room for a
// pod.
func (c *Cluster) Place() {
	if len(c.Nodes) == 0 {
		return
	}
	known := map[string]bool{}
	for i := range c.Nodes {
		known[c.Nodes[i].Name] = true
	}
	nodes, choose, template := scheduler.New(c.Nodes, len(c.Resources)), InTurn(), templatesOf(&c.Snapshot)
	for i := range c.DaemonPods {
		p := &c.DaemonPods[i].Pod
		nodes.Take(scheduler.Pod{Pod: p, Template: c.Templates[p.Labels[daemonset.LabelHash]]}, p.NodeName)
	}
	moved := func(p *podorder.Pod) bool { return p.NodeName != "" && !known[p.NodeName] }
	for i := range c.Pods {
		if p := &c.Pods[i]; !moved(p) {
			nodes.Take(scheduler.Pod{Pod: p, Template: template(p)}, p.NodeName)
		}
	}
	for i := range c.Pods {
		p := &c.Pods[i]
		if !moved(p) {
			continue
		}
		pod := scheduler.Pod{Pod: p, Template: template(p)}
		if p.NodeName = choose(pod, nodes); p.NodeName == "" {
			p.NodeName = c.Nodes[i%len(c.Nodes)].Name
		}
		nodes.Take(pod, p.NodeName)
	}
}

// templatesOf returns a function that finds the template of a pod of a ReplicaSet or a set.
func templatesOf(s *cluster.Snapshot) func(*podorder.Pod) cluster.Template {
	ofSets, prefixes := map[string]cluster.Template{}, map[string]string{}
	for i := range s.ReplicaSets {
		ofSets[s.ReplicaSets[i].UID] = templateOf(s.Templates, &s.ReplicaSets[i])
	}
	for i := range s.Sets { // the names of revisions begin with the name of the set
		prefixes[s.Sets[i].UID] = s.Sets[i].Name[strings.LastIndexByte(s.Sets[i].Name, '/')+1:] + "-"
	}
	return func(p *podorder.Pod) cluster.Template {
		if prefix, is := prefixes[p.ControllerUID]; is {
			return s.Templates[strings.TrimPrefix(p.Labels[workload.LabelControllerRevision], prefix)]
		}
		return ofSets[p.ControllerUID]
	}
}

// templateOf returns the template of a ReplicaSet.
func templateOf(all map[string]cluster.Template, rs *replicaset.ReplicaSet) cluster.Template {
	if t, known := all[rs.Template.ID]; known {
		return t
	}
	return all[rs.Template.Hash]
}

// Wanted returns the wanted Deployment: the applied one, if there is one.
func (b *Beginning) Wanted() deploy.Deployment {
	if len(b.Applied) > 0 {
		return b.Applied[0].(deploy.Deployment)
	}
	return *b.Deployment()
}

// Most returns the largest number of pods that may be wanted at once.
func (b *Beginning) Most() int32 {
	if b.Kind == sim.KindReplicaSet {
		return orOne(b.WantedReplicaSet().Replicas)
	}
	if b.Kind == sim.KindArgoRollout {
		r := b.WantedArgo()
		return ArgoBounds(&r.Rollout).MaxTotal()
	}
	d := b.Wanted()
	if d.Strategy == deploy.Recreate {
		return orOne(d.Replicas)
	}
	return rollout.Resolve(orOne(d.Replicas), d.MaxSurge, d.MaxUnavailable).MaxTotal()
}

func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}

// BeginDeployment chooses a Deployment. If applied, the Deployment with the name suffix [Next] is
// applied to it.
func (b *Beginning) BeginDeployment(namespace, name string, applied bool) {
	b.begin(sim.KindDeployment, namespace, name)
	if applied {
		next := take(&b.Deployments, deploymentName, b.Name+Next)
		next.Name, next.UID = b.Name, b.Deployment().UID
		b.Applied = []any{next}
	}
	b.Template = b.Wanted().Template.ID
}

// BeginReplicaSet chooses a ReplicaSet or a ReplicationController. If applied, the object with the
// name suffix [Next] is applied to it.
func (b *Beginning) BeginReplicaSet(namespace, name string, applied bool) {
	b.begin(sim.KindReplicaSet, namespace, name)
	if applied {
		next, as := take(&b.ReplicaSets, replicaSetName, b.Name+Next), *b.ReplicaSet()
		as.Replicas, as.Template, as.TemplateLabels, as.MinReadySeconds, as.Selector = next.Replicas, next.Template, next.TemplateLabels, next.MinReadySeconds, next.Selector
		b.Applied = []any{as}
	}
	b.Template = b.WantedReplicaSet().Template.ID
}

// WantedReplicaSet returns the wanted ReplicaSet: the applied one, if there is one.
func (b *Beginning) WantedReplicaSet() replicaset.ReplicaSet {
	if len(b.Applied) > 0 {
		return b.Applied[0].(replicaset.ReplicaSet)
	}
	return *b.ReplicaSet()
}

// Scale changes the replicas of the applied ReplicaSet or, if nothing is applied, of the present
// one.
func (b *Beginning) Scale(n *int32) {
	if len(b.Applied) == 0 {
		b.ReplicaSet().Replicas = n
		return
	}
	as := b.WantedReplicaSet()
	as.Replicas = n
	b.Applied = []any{as}
}

// BeginSet chooses a CloneSet or a StatefulSet and applies the set with the name suffix [Next] to
// it, which may update pods in place. Before that both sets differ only in their templates. It
// returns the applied set.
func (b *Beginning) BeginSet(namespace, name string, inPlace bool) *cluster.Set {
	b.begin(sim.KindSet, namespace, name)
	next, first := take(&b.Sets, setName, b.Name+Next), b.Set()
	next.Name, next.UID, next.InPlace, next.Annotations, next.Labels = first.Name, first.UID, inPlace, nil, nil
	next.Partition, next.Paused, next.Generation = rollout.IntOrPercent{}, false, 1
	template, labels := first.Template, first.TemplateLabels
	*first = next
	first.Template, first.TemplateLabels = template, labels
	b.Applied, b.Template = []any{next}, next.Template.Hash
	return &next
}

// BeginSetAlone chooses a CloneSet or a StatefulSet and applies nothing to it.
func (b *Beginning) BeginSetAlone(namespace, name string) {
	b.begin(sim.KindSet, namespace, name)
	b.Template = b.Set().Template.Hash
}

// Replace replaces the Deployment by another one of the same name, which no Rollout releases.
func (b *Beginning) Replace(d deploy.Deployment) {
	*b.Deployment() = d
	b.Meta = slices.DeleteFunc(slices.Clone(b.Meta), func(m cluster.Meta) bool { return m.Kind == deploy.Kind && m.Name == d.Name })
}

// BeginRollout chooses a Rollout of OpenKruise.
func (b *Beginning) BeginRollout(namespace, name string) { b.begin(sim.KindRollout, namespace, name) }

// Renumber sets the revision of a Deployment that was rolled out, and of its ReplicaSets.
func (b *Beginning) Renumber(number string) {
	d := b.Deployment()
	set := func(annotations map[string]string) map[string]string {
		annotations = maps.Clone(annotations)
		annotations[revision.AnnotationRevision] = number
		return annotations
	}
	d.Annotations = set(d.Annotations)
	for i := range b.ReplicaSets {
		if rs := &b.ReplicaSets[i]; rs.ControllerUID == d.UID {
			rs.Annotations = set(rs.Annotations)
		}
	}
}

// DropNext removes all objects with the name suffix [Next]: they belong to workloads that cannot
// begin.
func (c *Cluster) DropNext() {
	drop(&c.Deployments, deploymentName)
	drop(&c.ReplicaSets, replicaSetName)
	drop(&c.DaemonSets, daemonSetName)
	drop(&c.AdvancedDaemonSets, advancedName)
	drop(&c.Sets, setName)
	drop(&c.ArgoRollouts, argoName)
}

func drop[T any](list *[]T, name func(*T) string) {
	*list = slices.DeleteFunc(*list, func(o T) bool { return strings.HasSuffix(name(&o), Next) })
}
