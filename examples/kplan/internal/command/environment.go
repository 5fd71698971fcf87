// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/internal/sim"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
)

// seenOf returns the one whose pods run.
func seenOf(w, old *manifest.Workload) *manifest.Workload {
	if old != nil {
		return old
	}
	return w
}

// environment makes a Kubelet do what the input tells of pods and nodes, and returns what
// that is, for the user to know, and of what quotas leave too little. Without pods and nodes in
// the input it tells nothing. At most so many pods are wanted at once.
func (s *simulation) environment(w, old *manifest.Workload, start *sim.Cluster, most int32, k *sim.Kubelet) ([]string, []manifest.Shortage) {
	seen := seenOf(w, old)
	names, zones, notes := nodesOf(w, seen)
	k.Names, k.Zones = names, zones
	if len(names) == 0 && len(w.Nodes) > 0 {
		k.Unbound = func(podorder.Pod, revision.Template) bool { return true }
	}
	if s.heal {
		return append(notes, "all pods become ready, and nodes have room (--heal)"), nil
	}
	templates := map[string]string{} // by the UID of the ReplicaSet
	for _, rs := range seen.ReplicaSets {
		templates[string(rs.UID)] = kube.TemplateID(&rs.Spec.Template)
	}
	b := believe(seen.Pods, func(p *corev1.Pod) string { return templates[ownerOf(p)] }, start.Now)
	b.reported(seen.Controlled(), seen.Pods, start.Pods, func(rs *appsv1.ReplicaSet) string { return templates[string(rs.UID)] }, headwayOf(seen.Deployment), start.Now)
	b.apply(k, func(t revision.Template) string { return t.ID })
	notes = append(notes, b.notes...)
	room, note := roomOf(w, seen, names, len(b.crowded) > 0)
	if k.Room = room; note != "" {
		notes = append(notes, note)
	}
	limit, more := quotaOf(w, seen, most)
	k.MaxPods = limit
	notes = append(notes, more...)
	quota, more, short := resourceQuotaOf(w, seen, most)
	k.Quota = quota
	return append(notes, more...), short
}

// daemonEnvironment does the same for the pods of a DaemonSet, each of which has its node.
func (s *simulation) daemonEnvironment(d, old *manifest.DaemonSet, now time.Time, k *sim.Kubelet) []string {
	if old == nil {
		old = d
	}
	pods := old.Controlled()
	if s.heal {
		return []string{"all pods become ready, and nodes have room (--heal)"}
	}
	b := believe(pods, func(p *corev1.Pod) string { return p.Labels[daemonset.LabelHash] }, now)
	for _, uid := range b.crowded {
		b.gated[uid] = true
	}
	if n := len(b.crowded); n > 0 {
		b.notes = append(b.notes, fmt.Sprintf("%s for which %s node has no room %s so; other nodes have room", podsText(n), verb(n, "its", "their"), verb(n, "stays", "stay")))
	}
	b.apply(k, func(t revision.Template) string { return t.Hash })
	return b.notes
}

// in returns how pods live in an environment at a pace.
func (s *simulation) in(environment, pace sim.Kubelet) sim.Kubelet {
	pace.Names, pace.Zones, pace.Room, pace.MaxPods = environment.Names, environment.Zones, environment.Room, environment.MaxPods
	pace.Quota = environment.Quota
	pace.Unbound = environment.Unbound
	if never := pace.NeverReady; environment.NeverReady != nil {
		pace.NeverReady = func(p podorder.Pod, t revision.Template) bool {
			return environment.NeverReady(p, t) || never != nil && never(p, t)
		}
	}
	return pace
}
