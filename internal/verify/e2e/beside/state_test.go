// SPDX-License-Identifier: Apache-2.0

package beside

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/sim"
)

// A state is the compared state of a cluster: sizes by name, and pods.
type state struct {
	sizes map[string]int64
	pods  []pod
}

// A pod is the compared part of a pod.
type pod struct {
	name, of, node                     string
	bound, running, ready, failed, end bool
}

// class is the same for equal pods.
func (p *pod) class() string {
	stage := "waiting"
	switch {
	case p.end:
		stage = "terminating"
	case p.failed:
		stage = "failed"
	case p.ready:
		stage = "ready"
	case p.running:
		stage = "running"
	}
	return fmt.Sprintf("pods %s on %q %s", p.of, p.node, stage)
}

func (s *state) add(p pod) {
	s.pods = append(s.pods, p)
	s.sizes[p.class()]++
}

// counted reports whether the quota has counted all pods. The real one admits too many before.
func (s *state) counted() bool {
	n := int64(0)
	for i := range s.pods {
		if !s.pods[i].failed {
			n++
		}
	}
	return s.sizes["ResourceQuota pods"] == n
}

func (s *state) note(of string, names string, sizes ...int32) {
	for i, name := range strings.Fields(names) {
		s.sizes[of+" "+name] = int64(sizes[i])
	}
}

// condition records a condition with its status.
func (s *state) condition(of, name, status string) { s.sizes[of+" "+name+"="+status] = 1 }

func versioned(l map[string]string) string { return l[appLabel] + "/" + l[versionLabel] }

func orZero(n *int32) int32 {
	if n == nil {
		return 0
	}
	return *n
}

// replicas notes a ReplicaSet or ReplicationController of either cluster.
func (s *state) replicas(kind, of string, rs *replicaset.ReplicaSet) {
	st := &rs.Status
	s.note(kind+" "+of, "wanted pods ready available terminating", *rs.Replicas, st.Replicas, st.ReadyReplicas, st.AvailableReplicas, orZero(st.TerminatingReplicas))
	for _, c := range st.Conditions {
		s.condition(kind+" "+of, string(c.Type), string(c.Status))
	}
}

func (s *state) pod(p *podorder.Pod, pinned string) {
	n, of := p.NodeName, versioned(p.Labels)
	if p.ControllerKind == statefulSet {
		of += plain(p.Name)[len(p.Labels[appLabel]):] // its ordinal
	}
	if n == "" && pinned != "" {
		n = "for " + pinned
	}
	s.add(pod{
		name: p.Name, of: of, node: n, bound: p.NodeName != "", running: p.Phase == podorder.Running,
		ready: p.Ready, failed: p.Phase == podorder.Failed, end: !p.DeletionTimestamp.IsZero(),
	})
}

func (s *state) daemons(name string, st *daemonset.Status) {
	s.note("DaemonSet "+name, "desired current misscheduled ready available unavailable updated", st.DesiredNumberScheduled, st.CurrentNumberScheduled,
		st.NumberMisscheduled, st.NumberReady, st.NumberAvailable, st.NumberUnavailable, st.UpdatedNumberScheduled)
}

// stateful notes a StatefulSet, of which the update is complete or not.
func (s *state) stateful(name string, complete bool, sizes ...int32) {
	s.note("StatefulSet "+name, "wanted pods ready available updated", sizes...)
	if complete {
		s.condition("StatefulSet "+name, "updated", "True")
	}
}

// simulated is the state of a world.
func simulated(w *sim.World) state {
	s, v := state{sizes: map[string]int64{}}, w.View()
	for _, d := range v.Deployments() {
		st := &d.Status
		s.note("Deployment "+plain(d.Name), "wanted pods updated ready available unavailable terminating", *d.Replicas, st.Replicas, st.UpdatedReplicas,
			st.ReadyReplicas, st.AvailableReplicas, st.UnavailableReplicas, orZero(st.TerminatingReplicas))
		for _, c := range st.Conditions {
			s.condition("Deployment "+plain(d.Name), string(c.Type), string(c.Status))
		}
	}
	for _, rs := range v.ReplicaSets() {
		s.replicas("ReplicaSet", versioned(rs.TemplateLabels), rs)
	}
	for _, rc := range v.ReplicationControllers() {
		s.replicas("ReplicationController", versioned(rc.TemplateLabels), rc)
	}
	for _, d := range v.DaemonSets() {
		s.daemons(plain(d.Name), &d.Status)
	}
	for _, o := range v.Sets() {
		st := &o.Status
		s.stateful(plain(o.Name), o.StableRevision == o.UpdateRevision, o.DesiredReplicas(), st.Replicas, st.ReadyReplicas, st.AvailableReplicas, st.UpdatedReplicas)
	}
	for _, p := range v.Pods() {
		s.pod(p, "")
	}
	for _, p := range v.DaemonPods() {
		s.pod(&p.Pod, p.PinnedNode)
	}
	for _, n := range v.Nodes() {
		s.sizes["Node "+n.Name+" lost"] = lost(n.Taints)
	}
	for _, q := range w.Snapshot().Quotas {
		s.sizes["ResourceQuota pods"] = q.Used["pods"]
	}
	return s
}

func lost(taints []daemonset.Taint) (n int64) {
	for _, t := range taints {
		if t.Key == corev1.TaintNodeUnreachable {
			n++
		}
	}
	return n
}

// plain is a name without its namespace.
func plain(name string) string { return name[strings.Index(name, "/")+1:] }

// observed is the state of a namespace of the real cluster, by the fields that upstream writes.
func observed(namespace string) state {
	s, all := state{sizes: map[string]int64{}}, labels.Everything()
	core, apps := real.informers.Core().V1(), real.informers.Apps().V1()
	deployments, _ := apps.Deployments().Lister().Deployments(namespace).List(all)
	for _, d := range deployments {
		st := &d.Status
		s.note("Deployment "+d.Name, "wanted pods updated ready available unavailable terminating", *d.Spec.Replicas, st.Replicas, st.UpdatedReplicas,
			st.ReadyReplicas, st.AvailableReplicas, st.UnavailableReplicas, orZero(st.TerminatingReplicas))
		for _, c := range st.Conditions {
			s.condition("Deployment "+d.Name, string(c.Type), string(c.Status))
		}
	}
	sets, _ := apps.ReplicaSets().Lister().ReplicaSets(namespace).List(all)
	for _, rs := range sets {
		read := kube.ReplicaSet(rs)
		s.replicas("ReplicaSet", versioned(rs.Spec.Template.Labels), &read)
	}
	controllers, _ := core.ReplicationControllers().Lister().ReplicationControllers(namespace).List(all)
	for _, rc := range controllers {
		read := kube.ReplicaSet(kube.FromReplicationController(rc))
		s.replicas("ReplicationController", versioned(rc.Spec.Template.Labels), &read)
	}
	daemons, _ := apps.DaemonSets().Lister().DaemonSets(namespace).List(all)
	for _, d := range daemons {
		if read, err := kube.DaemonSet(d); err == nil {
			s.daemons(d.Name, &read.Status)
		}
	}
	stateful, _ := apps.StatefulSets().Lister().StatefulSets(namespace).List(all)
	for _, o := range stateful {
		st := &o.Status
		s.stateful(o.Name, st.CurrentRevision == st.UpdateRevision, *o.Spec.Replicas, st.Replicas, st.ReadyReplicas, st.AvailableReplicas, st.UpdatedReplicas)
	}
	for _, p := range realPods(namespace) {
		read := kube.DaemonSetPod(p)
		s.pod(&read.Pod, read.PinnedNode)
	}
	for _, n := range realNodes(namespace) {
		s.sizes["Node "+n.Name+" lost"] = lost(kube.Node(n).Taints)
	}
	limits, _ := core.ResourceQuotas().Lister().ResourceQuotas(namespace).List(all)
	for _, q := range limits {
		used := q.Status.Used[corev1.ResourcePods]
		s.sizes["ResourceQuota pods"] = used.Value()
	}
	return s
}
