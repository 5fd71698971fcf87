// SPDX-License-Identifier: Apache-2.0

package bugbank_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

var openKruise = daemonset.Options{Dialect: daemonset.OpenKruise}

func daemonSets() []entry { return slices.Concat(updatesOfDaemonSets(), podsOfDaemonSets()) }

func updatesOfDaemonSets() []entry {
	return []entry{
		{"kubernetes-123232", "three bad updates in a row leave no pod that is ready", badUpdates,
			mutant{"daemonset", "!s.opts.kruise() || s.opts.Repair.Has(quirk.OldUnavailableNotCounted)", "s.opts.Repair.Has(quirk.OldUnavailableNotCounted)"}},
		{"kubernetes-117204", "one node that does not answer stops a rollout forever", deadNode,
			mutant{"daemonset", "s.opts.SkipDeadNodes == 0", "true"}},
		{"kubernetes-73011", "nobody says which node a rollout waits for", saysWhichNode,
			mutant{"daemonset", "w || u < len(t.replace)", "false"}},
		{"kruise-1323", "all pods that are not available are deleted at once, whatever maxUnavailable says", strictLimit,
			mutant{"daemonset", "s.opts.StrictUnavailable", "false"}},
		{"kruise-2387", "a node on which no pod should run uses the budget", outsideNode,
			mutant{"daemonset", "s.opts.Repair.Has(quirk.OutsideNodesUseBudget) && !k.run", "false"}},
		{"kubernetes-118823", "with surge, an old pod on a node that should run none stays forever", sunsetPod,
			mutant{"daemonset", "t.sunset = append(t.sunset, keyPod{k, u.pod})", "_ = k"}},
		{"kubernetes-86619", "an update cannot be paused", pausedUpdate,
			mutant{"daemonset:state.update", "s.ds.Paused", "false"}},
		{"kubernetes-77203", "a rollout is stuck when the clock of a node is ahead", clockAhead,
			mutant{"daemonset:input.readPod", "f.has(isReady) && !f.has(isAvailable)", "false"}},
		{"kruise-1012", "with surge, the end of minReadySeconds of the new pod passes unnoticed", surgeRecheck,
			mutant{"daemonset:NodeDecision.recheck", "d.RecheckAt = a", "_ = a"}},
		{"kubernetes-113287", "the number of pods created at once cannot be set", burstSet,
			mutant{"daemonset:Burst", "max(b.Of(d), 0)", "defaultBurst"}},
		{"kubernetes-111280", "pods of an older template are relabelled with those of a duplicate revision", duplicateRevision,
			mutant{"daemonset", "v.relabelAll = !i.opts.Repair.Has(quirk.OlderPodsRelabelled)", "v.relabelAll = true"}},
	}
}

// agents returns the DaemonSet agent, with template v2, on n nodes with the pods.
func agents(n int, pods ...daemonset.Pod) daemonset.Snapshot {
	app := map[string]string{"app": "agent"}
	s := daemonset.Snapshot{Pods: pods, DaemonSet: daemonset.DaemonSet{
		Name: "agent", UID: "agent-uid", Generation: 3, Selector: &selector.LabelSelector{MatchLabels: app},
		Template: daemonset.Template{Hash: "v2", Data: []byte("v2"), Labels: app},
	}}
	s.DaemonSet.Status.DesiredNumberScheduled = int32(n)
	for i := range n {
		s.Nodes = append(s.Nodes, daemonset.Node{Name: fmt.Sprintf("n%d", i+1)})
	}
	s.Revisions = []revision.ControllerRevision{agentRevision("v1", 1), agentRevision("v2", 2)}
	return s
}

func agentRevision(hash string, number int64) revision.ControllerRevision {
	return revision.ControllerRevision{
		Name: "agent-" + hash, UID: "revision-" + hash, ControllerKind: "DaemonSet", ControllerName: "agent", ControllerUID: "agent-uid",
		Labels: map[string]string{"app": "agent", daemonset.LabelHash: hash}, Data: []byte(hash), Revision: number,
	}
}

// agent returns a pod that has been ready for an hour.
func agent(name, node, hash string, change ...func(*daemonset.Pod)) daemonset.Pod {
	p := daemonset.Pod{Pod: podorder.Pod{
		Name: name, UID: "uid-" + name, ControllerKind: "DaemonSet", ControllerName: "agent", ControllerUID: "agent-uid",
		Labels: map[string]string{"app": "agent", daemonset.LabelHash: hash}, CreationTimestamp: t0.Add(-2 * time.Hour),
		NodeName: node, Phase: podorder.Running, Ready: true, ReadySince: t0.Add(-time.Hour),
	}}
	for _, c := range change {
		c(&p)
	}
	return p
}

func unready(p *daemonset.Pod)  { p.Ready, p.ReadySince = false, time.Time{} }
func deleting(p *daemonset.Pod) { p.DeletionTimestamp = t0.Add(-time.Minute) }
func failed(p *daemonset.Pod)   { p.Phase = podorder.Failed; unready(p) }

func readyFor(d time.Duration) func(*daemonset.Pod) {
	return func(p *daemonset.Pod) { p.ReadySince = t0.Add(-d) }
}

func daemonSet(t *testing.T, s daemonset.Snapshot, opts daemonset.Options) daemonset.Plan {
	t.Helper()
	p, err := daemonset.Reconcile(s, t0, opts)
	require.NoError(t, err)
	return p
}

// does returns the deletions and creations of a plan, such as "-p1 +n2".
func does(p daemonset.Plan) string {
	var words []string
	for _, a := range p.Actions {
		switch a := a.(type) {
		case daemonset.CreatePod:
			words = append(words, "+"+a.Node)
		case daemonset.DeletePod:
			words = append(words, "-"+a.Name)
		case daemonset.RelabelPod:
			words = append(words, a.Name+"="+a.To)
		}
	}
	return strings.Join(words, " ")
}

func tainted(s daemonset.Snapshot, node int, key string, effects ...daemonset.Effect) {
	for _, e := range effects {
		s.Nodes[node].Taints = append(s.Nodes[node].Taints, daemonset.Taint{Key: key, Effect: e})
	}
}

func badUpdates(t *testing.T) {
	s := agents(3, agent("p1", "n1", "v1", unready), agent("p2", "n2", "v1"), agent("p3", "n3", "v1"))
	require.Equal(t, "-p1", does(daemonSet(t, s, daemonset.Options{})), "the one that serves nobody")
	require.Equal(t, "-p1 -p3", does(daemonSet(t, s, openKruise)), "which is not repaired there")
	require.Equal(t, "-p1", does(daemonSet(t, s, daemonset.Options{Dialect: daemonset.OpenKruise, Repair: quirk.All})))
}

func deadNode(t *testing.T) {
	s := agents(3, agent("p1", "n1", "v1"), agent("p2", "n2", "v1"), agent("p3", "n3", "v1", unready, deleting))
	tainted(s, 2, daemonset.TaintUnreachable, daemonset.NoExecute, daemonset.NoSchedule)
	require.Empty(t, does(daemonSet(t, s, daemonset.Options{})))
	require.Equal(t, "-p1", does(daemonSet(t, s, daemonset.Options{SkipDeadNodes: 1})))
}

func saysWhichNode(t *testing.T) {
	s := agents(3, agent("p1", "n1", "v1"), agent("p2", "n2", "v2", unready), agent("p3", "n3", "v1"))
	require.Equal(t, []kplan.Hold{
		{Reason: reason.MaxUnavailable, Have: 1, Limit: 1}, {Node: "n2", Name: "p2", Reason: reason.NotReady},
	}, daemonSet(t, s, daemonset.Options{}).Holds)
}

func strictLimit(t *testing.T) {
	recent := readyFor(30 * time.Second)
	s := agents(3, agent("p1", "n1", "v1", recent), agent("p2", "n2", "v1", recent), agent("p3", "n3", "v1", recent))
	s.DaemonSet.MinReadySeconds = 60
	require.Equal(t, "-p1 -p2 -p3", does(daemonSet(t, s, daemonset.Options{})))
	require.Equal(t, "-p1", does(daemonSet(t, s, daemonset.Options{StrictUnavailable: true})))
}

func outsideNode(t *testing.T) {
	s := agents(3, agent("p1", "n1", "v1"), agent("p2", "n2", "v1"), agent("p3", "n3", "v2", unready))
	tainted(s, 2, "x", daemonset.NoSchedule)
	require.Empty(t, does(daemonSet(t, s, daemonset.Options{})))
	require.Equal(t, "-p1", does(daemonSet(t, s, daemonset.Options{Repair: quirk.All})))
}

func sunsetPod(t *testing.T) {
	s := agents(2, agent("p1", "n1", "v1"), agent("p2", "n2", "v2"))
	s.DaemonSet.MaxSurge = rollout.Int(1)
	tainted(s, 0, "x", daemonset.NoSchedule)
	require.Equal(t, "-p1", does(daemonSet(t, s, daemonset.Options{})))
}

func pausedUpdate(t *testing.T) {
	s := agents(2, agent("p1", "n1", "v1"), agent("p2", "n2", "v1"))
	require.Equal(t, "-p1", does(daemonSet(t, s, daemonset.Options{})))
	s.DaemonSet.Paused = true
	require.Empty(t, does(daemonSet(t, s, daemonset.Options{})))
	s.Pods = s.Pods[:1]
	require.Equal(t, "+n2", does(daemonSet(t, s, daemonset.Options{})), "missing pods are created all the same")
}

// clockAhead: the node says that the pod is ready as of the near future.
func clockAhead(t *testing.T) {
	s := agents(2, agent("p1", "n1", "v2", readyFor(-5*time.Second)), agent("p2", "n2", "v1"))
	s.DaemonSet.MinReadySeconds = 10
	p := daemonSet(t, s, daemonset.Options{})
	require.Empty(t, does(p))
	require.Equal(t, t0.Add(15*time.Second), p.RecheckAt)
}

func surgeRecheck(t *testing.T) {
	o, n := agent("p1", "n1", "v1"), agent("q1", "n1", "v2", readyFor(4*time.Second))
	rules := daemonset.NodeRules{
		Surge: true, Version: daemonset.NewVersion("v2", nil), Availability: daemonset.Availability{MinReadySeconds: 10, Now: t0}, Options: openKruise,
	}
	d := rules.Decide(&daemonset.NodeCase{ShouldRun: true, ShouldContinueRunning: true, Exists: true, Pods: []*daemonset.Pod{&o, &n}})
	require.Empty(t, d.Delete)
	require.Equal(t, t0.Add(6*time.Second), d.RecheckAt)
}

func burstSet(t *testing.T) {
	s := agents(4)
	require.Equal(t, "+n1 +n2 +n3 +n4", does(daemonSet(t, s, daemonset.Options{})))
	s.DaemonSet.Burst = rollout.Int(2)
	require.Equal(t, "+n1 +n2", does(daemonSet(t, s, daemonset.Options{})))
}

// duplicateRevision: revisions v2 and v3 have the present template. A pod of v1 is
// still to be updated.
func duplicateRevision(t *testing.T) {
	s := agents(3, agent("p1", "n1", "v3"), agent("p2", "n2", "v2"), agent("p3", "n3", "v1"))
	again := agentRevision("v3", 3)
	again.Data = []byte("v2")
	s.Revisions = append(s.Revisions, again)
	p := daemonSet(t, s, daemonset.Options{})
	require.Equal(t, "p2=v3 p3=v3", does(p), "and p3 is never updated")
	require.Equal(t, "p2=v3 -p3", does(daemonSet(t, s, daemonset.Options{Repair: quirk.All})))
	slices.Reverse(s.Revisions)
	require.Equal(t, p, daemonSet(t, s, daemonset.Options{}), "the order does not matter")
}
