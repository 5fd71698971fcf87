// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/stretchr/testify/require"
)

var kruise = daemonset.Options{Dialect: daemonset.OpenKruise}

// nodes returns nodes n1 to nN.
func nodes(n int) []daemonset.Node {
	list := make([]daemonset.Node, n)
	for i := range list {
		list[i].Name = fmt.Sprintf("n%d", i+1)
	}
	return list
}

func taint(key string, effect daemonset.Effect) daemonset.Taint {
	return daemonset.Taint{Key: key, Effect: effect}
}

// A change changes a pod.
type change func(p *daemonset.Pod)

// pod returns a pod of the agent that has been ready for an hour.
func pod(name, node, version string, changes ...change) daemonset.Pod {
	p := daemonset.Pod{Pod: podorder.Pod{
		Name: name, UID: "uid-" + name, ControllerKind: "DaemonSet", ControllerName: "agent", ControllerUID: "agent-uid",
		Labels: map[string]string{"app": "agent", daemonset.LabelHash: version}, CreationTimestamp: t0.Add(-2 * time.Hour),
		NodeName: node, Phase: podorder.Running, Ready: true, ReadySince: t0.Add(-time.Hour),
	}}
	for _, c := range changes {
		c(&p)
	}
	return p
}

func unready(p *daemonset.Pod)     { p.Ready, p.ReadySince = false, time.Time{} }
func terminating(p *daemonset.Pod) { p.DeletionTimestamp = t0.Add(-time.Minute) }
func failed(p *daemonset.Pod)      { p.Phase = podorder.Failed; unready(p) }
func succeeded(p *daemonset.Pod)   { p.Phase = podorder.Succeeded; unready(p) }
func unbound(p *daemonset.Pod) {
	p.NodeName, p.PinnedNode, p.Phase = "", p.NodeName, podorder.Pending
	unready(p)
}
func preparing(p *daemonset.Pod) { p.Labels[daemonset.LabelState] = daemonset.StatePreparingDelete }
func gated(p *daemonset.Pod) {
	p.ReadinessGates = []string{inplace.Gate}
	p.InPlace = &inplace.ReadyCondition{True: true}
	p.Containers = []inplace.Container{{Name: "app", Image: p.Labels[daemonset.LabelHash], Status: &inplace.ContainerStatus{ImageID: "id-" + p.Labels[daemonset.LabelHash], Ready: true}}}
}

func readyFor(d time.Duration) change { return func(p *daemonset.Pod) { p.ReadySince = t0.Add(-d) } }
func aged(d time.Duration) change     { return func(p *daemonset.Pod) { p.CreationTimestamp = t0.Add(-d) } }
func label(key, value string) change  { return func(p *daemonset.Pod) { p.Labels[key] = value } }

// cluster returns the agent, whose template is v2, on n nodes with pods, and its two
// revisions.
func cluster(n int, pods ...daemonset.Pod) daemonset.Snapshot {
	s := daemonset.Snapshot{DaemonSet: agent(), Nodes: nodes(n), Pods: pods}
	s.DaemonSet.Status.DesiredNumberScheduled = int32(n)
	s.Revisions = []revision.ControllerRevision{agentRevision("v1", 1), agentRevision("v2", 2)}
	return s
}

// olds returns one available old pod on each of n nodes: p1 on n1 and so on.
func olds(n int, changes ...change) []daemonset.Pod {
	list := make([]daemonset.Pod, n)
	for i := range list {
		list[i] = pod(fmt.Sprintf("p%d", i+1), fmt.Sprintf("n%d", i+1), "v1", changes...)
	}
	return list
}

// with returns a copy that a function has changed.
func with(s daemonset.Snapshot, change func(s *daemonset.Snapshot)) daemonset.Snapshot {
	s = purity.Clone(s)
	change(&s)
	return s
}

// mustPlan returns the plan, and checks on the way that it is pure and survives JSON.
func mustPlan(t *testing.T, s daemonset.Snapshot, opts daemonset.Options) daemonset.Plan {
	t.Helper()
	p := purity.Check(t, s, func(s daemonset.Snapshot) (daemonset.Plan, error) {
		return daemonset.Reconcile(s, t0, opts)
	}, "Nodes", "Pods", "Revisions", "Backoff")
	_, err := daemonset.Reconcile(s, t0, opts)
	require.NoError(t, err)
	roundTrip(t, p)
	produce(p)
	return p
}

func roundTrip(t purity.T, p daemonset.Plan) {
	t.Helper()
	var back daemonset.Plan
	text, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if diff := cmp.Diff(p, back); err != nil || diff != "" {
		t.Fatalf("%v:\n%s\n%s", err, text, diff)
	}
}

// A planCase is a snapshot and the text of its plan.
type planCase struct {
	name, why string
	s         daemonset.Snapshot
	opts      daemonset.Options
	want      string
}

func runPlans(t *testing.T, cases []planCase) {
	t.Helper()
	seen := map[string]bool{}
	for _, c := range cases {
		require.False(t, seen[c.name], "two cases %q", c.name)
		seen[c.name] = true
		t.Run(c.name, func(t *testing.T) {
			require.NotEmpty(t, c.why)
			got := mustPlan(t, c.s, c.opts).String()
			if diff := cmp.Diff(lines(c.want), lines(got)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.why, diff)
			}
		})
	}
}

func lines(text string) []string {
	list := strings.Split(strings.TrimSpace(text), "\n")
	for i := range list {
		list[i] = strings.TrimSpace(list[i])
	}
	return list
}

// deleted returns the names of the pods that a plan deletes.
func deleted(p daemonset.Plan) []string { return choices(p.Actions).remove }
