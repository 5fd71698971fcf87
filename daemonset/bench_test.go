// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"github.com/stretchr/testify/require"
)

// large returns a cluster of n nodes, every tenth tainted, in no order of names. The
// first updated nodes have a new pod and the others an old one.
func large(n, updated int) daemonset.Snapshot {
	s := daemonset.Snapshot{DaemonSet: agent()}
	s.DaemonSet.Template.NodeSelector = map[string]string{"kubernetes.io/os": "linux"}
	s.DaemonSet.Template.Tolerations = []daemonset.Toleration{{Key: "dedicated", Operator: daemonset.TolerationExists}}
	s.DaemonSet.MaxUnavailable = rollout.Percent(10)
	s.DaemonSet.Status.DesiredNumberScheduled = int32(n)
	s.Revisions = []revision.ControllerRevision{agentRevision("v1", 1), agentRevision("v2", 2)}
	for i := range n {
		name := fmt.Sprintf("ip-10-%d-%d.ec2.internal", (i*7919)%n, i)
		node := daemonset.Node{Name: name, Labels: map[string]string{
			"kubernetes.io/os": "linux", "kubernetes.io/hostname": name, "topology.kubernetes.io/zone": string(rune('a' + i%3)),
			"kubernetes.io/arch": "amd64", "node.kubernetes.io/instance-type": "m5.large",
		}}
		if i%10 == 0 {
			node.Taints = []daemonset.Taint{{Key: "dedicated", Value: "gpu", Effect: daemonset.NoSchedule}}
		}
		hash := "v1"
		if i < updated {
			hash = "v2"
		}
		s.Nodes = append(s.Nodes, node)
		s.Pods = append(s.Pods, daemonset.Pod{Pod: podorder.Pod{
			Name: fmt.Sprintf("agent-%06d", (i*104729)%1000003), UID: fmt.Sprintf("uid-%d", i),
			ControllerKind: "DaemonSet", ControllerName: "agent", ControllerUID: "agent-uid", NodeName: name, Phase: podorder.Running,
			Labels: map[string]string{"app": "agent", daemonset.LabelHash: hash}, CreationTimestamp: t0.Add(-time.Hour),
			Ready: true, ReadySince: t0.Add(-time.Hour),
		}})
	}
	return s
}

var t0 = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// agent is a DaemonSet whose template is v2.
func agent() daemonset.DaemonSet {
	return daemonset.DaemonSet{
		Name: "agent", UID: "agent-uid", Generation: 3, Selector: &selector.LabelSelector{MatchLabels: map[string]string{"app": "agent"}},
		Template: daemonset.Template{Hash: "v2", Data: stored("v2"), Labels: map[string]string{"app": "agent"}},
		Status:   daemonset.Status{ObservedGeneration: 3},
	}
}

func agentRevision(version string, n int64) revision.ControllerRevision {
	return revision.ControllerRevision{
		Name: "agent-" + version, UID: "uid-" + version, Labels: map[string]string{"app": "agent", daemonset.LabelHash: version},
		ControllerKind: "DaemonSet", ControllerName: "agent", ControllerUID: "agent-uid", Data: stored(version), Revision: n,
	}
}

// TestNothingToDoAllocates: however many nodes there are, finding nothing to do costs
// the same number of allocations, and an update as many more as it has actions.
func TestNothingToDoAllocates(t *testing.T) {
	for _, updated := range []float64{1, 0.5} {
		allocations := func(n int) float64 {
			s := large(n, int(updated*float64(n)))
			p, err := daemonset.Reconcile(s, t0, daemonset.Options{})
			require.NoError(t, err)
			return testing.AllocsPerRun(10, func() { _, _ = daemonset.Reconcile(s, t0, daemonset.Options{}) }) - float64(len(p.Actions))
		}
		few, many := allocations(1000), allocations(6000)
		require.InDelta(t, few, many, 4, "holds are few")
	}
}

// equals returns a cluster of n nodes whose DaemonSet has n revisions with its template.
// The pods have the hashes of all of them.
func equals(n int) daemonset.Snapshot {
	s := large(n, n)
	s.Revisions = nil
	for i := range n {
		r := agentRevision("v2", int64(i%7))
		hash := fmt.Sprintf("v2-%05d", (i*7919)%n)
		r.Name, r.UID, r.Labels[daemonset.LabelHash] = "agent-"+hash, "uid-"+hash, hash
		s.Revisions, s.Pods[i].Labels[daemonset.LabelHash] = append(s.Revisions, r), hash
	}
	return s
}

// Of equal revisions one stays, and each pod gets its hash.
func TestManyEqualRevisions(t *testing.T) {
	for _, opts := range []daemonset.Options{{}, {Repair: quirk.All}} {
		s := equals(1000)
		p, err := daemonset.Reconcile(s, t0, opts)
		require.NoError(t, err)
		removed, relabelled := map[string]bool{}, map[string]string{}
		for _, a := range p.Actions {
			switch a := a.(type) {
			case daemonset.DeleteRevision:
				removed[a.Name] = true
			case daemonset.RelabelPod:
				relabelled[a.From] = a.To
			}
		}
		require.Len(t, removed, 999)
		require.Len(t, relabelled, 999)
		for from, to := range relabelled {
			require.True(t, removed["agent-"+from] && !removed["agent-"+to], "%s to %s", from, to)
		}
		require.Equal(t, int32(1000), p.Status.UpdatedNumberScheduled)
	}
}

func BenchmarkEqualRevisions(b *testing.B) {
	for n := 1000; n <= 16_000; n *= 2 {
		s := equals(n)
		for _, opts := range []daemonset.Options{{}, {Repair: quirk.All}} {
			b.Run(fmt.Sprintf("revisions=%d/repair=%v", n, opts.Repair != 0), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := daemonset.Reconcile(s, t0, opts); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkReconcile(b *testing.B) {
	for _, n := range []int{1_000, 5_000, 50_000, 100_000} {
		for _, c := range []struct {
			name    string
			updated int
			surge   rollout.IntOrPercent
			opts    daemonset.Options
		}{
			{"steady", n, rollout.IntOrPercent{}, daemonset.Options{}},
			{"rolling", n / 2, rollout.IntOrPercent{}, daemonset.Options{}},
			{"surge", n / 2, rollout.Percent(10), daemonset.Options{}},
			{"kruise", n / 2, rollout.IntOrPercent{}, daemonset.Options{Dialect: daemonset.OpenKruise}},
		} {
			s := large(n, c.updated)
			s.DaemonSet.MaxSurge = c.surge
			b.Run(fmt.Sprintf("%s/nodes=%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if _, err := daemonset.Reconcile(s, t0, c.opts); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
