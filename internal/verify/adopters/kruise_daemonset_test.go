// SPDX-License-Identifier: Apache-2.0

package adopters

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/internal/verify/recorded"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// A daemonSetCase is the input of a table of Advanced DaemonSets.
type daemonSetCase struct {
	Op                       string
	NewPods, Total           int32
	Partition                int32
	NodesNeedingPods         []string
	Progressively            bool
	MaxSurge, MaxUnavailable rollout.IntOrPercent
	BurstReplicas            rollout.IntOrPercent
	Selector                 bool
	Steps                    []daemonSetStep
}

type daemonSetStep struct {
	Do                       string
	MaxSurge, MaxUnavailable rollout.IntOrPercent
	Time, Value              int64
}

func daemonSetTable(t *testing.T, r recorded.Recording) answer {
	in := read[daemonSetCase](t, r)
	switch in.Op {
	case "nodes-needing-pods":
		names := slices.Sorted(slices.Values(in.NodesNeedingPods))
		if in.Progressively {
			names = names[:min(len(names), int(rollout.NodesNeedingPods(in.NewPods, in.Total, in.Partition)))]
		}
		return same(r, append([]string{}, names...))
	case "burst":
		return same(r, daemonset.Burst(in.BurstReplicas, in.Total))
	case "limits":
		nodes := read[struct{ Nodes int32 }](t, r).Nodes
		b := daemonset.Resolve(daemonset.RollingUpdate, in.MaxSurge, in.MaxUnavailable, nodes)
		return same(r, map[string]int32{"surge": b.Surge, "unavailable": b.Unavailable})
	case "nodes-to-update":
		return nodesToUpdate(t, r, in)
	}
	return same(r, updateSequence(t, in.Steps, read[struct{ Nodes int }](t, r).Nodes))
}

// A daemonSetWorld is a DaemonSet in a cluster where pods start and end at once.
type daemonSetWorld struct {
	t *testing.T
	s daemonset.Snapshot
	// templates is how many there have been.
	templates int
	now       time.Time
}

func newDaemonSetWorld(t *testing.T) *daemonSetWorld {
	labels := map[string]string{"app": "logs"}
	w := &daemonSetWorld{t: t, now: time.Unix(1000, 0)}
	w.s.DaemonSet = daemonset.DaemonSet{
		Name: "logs", UID: "d", Selector: &selector.LabelSelector{MatchLabels: labels}, Template: daemonset.Template{Labels: labels},
	}
	w.update()
	return w
}

// update changes the template.
func (w *daemonSetWorld) update() {
	w.templates++
	template := &w.s.DaemonSet.Template
	template.Hash = fmt.Sprint("h", w.templates)
	template.Data = []byte(template.Hash)
}

func (w *daemonSetWorld) updated(p *daemonset.Pod) bool {
	return p.Labels[daemonset.LabelHash] == w.s.DaemonSet.Template.Hash
}

// sync makes a pass, and returns how many pods it has created and deleted. Upstream's test shows a
// pass its own deletions, so that it continues where others wait to see them.
func (w *daemonSetWorld) sync() (created, deleted int) {
	for again := true; again; {
		before := len(w.s.Pods)
		p, err := daemonset.Reconcile(w.s, w.now, daemonset.Options{Dialect: daemonset.OpenKruise})
		require.NoError(w.t, err)
		w.s, err = p.Apply(w.s, w.now)
		require.NoError(w.t, err)
		w.s.DaemonSet.Status = p.Status
		more := len(w.s.Pods) - before
		for i := range w.s.Pods {
			if pod := &w.s.Pods[i]; pod.NodeName == "" {
				pod.NodeName, pod.Phase = pod.PinnedNode, podorder.Running
			}
		}
		w.s.Pods = slices.DeleteFunc(w.s.Pods, func(p daemonset.Pod) bool { return !p.DeletionTimestamp.IsZero() })
		created, deleted = created+more, deleted+before+more-len(w.s.Pods)
		again = slices.ContainsFunc(p.Holds, func(h kplan.Hold) bool { return h.Reason == reason.ManageFirst })
	}
	return created, deleted
}

// ready makes n pods ready, or all if n is below 0, in the order of the nodes.
func (w *daemonSetWorld) ready(n int, which func(p *daemonset.Pod) bool) {
	for i := range w.s.Pods {
		if p := &w.s.Pods[i]; n != 0 && !p.Ready && which(p) {
			p.Ready, p.ReadySince = true, w.now
			n--
		}
	}
}

// do carries out a step that is no pass.
func (w *daemonSetWorld) do(s daemonSetStep) {
	n := 0
	fmt.Sscan(s.Do, &n)
	switch d := &w.s.DaemonSet; {
	case s.Do == "all pods ready":
		w.ready(-1, func(*daemonset.Pod) bool { return true })
	case s.Do == "new template":
		w.update()
	case s.Do == "strategy":
		d.MaxSurge, d.MaxUnavailable = s.MaxSurge, s.MaxUnavailable
	case s.Do == "minReadySeconds":
		d.MinReadySeconds = int32(s.Value)
	case strings.HasSuffix(s.Do, "updated pods ready"):
		w.ready(n, w.updated)
	default: // an old pod on a node without an updated one is not ready any more
		with := map[string]bool{}
		for i := range w.s.Pods {
			if p := &w.s.Pods[i]; w.updated(p) {
				with[p.NodeName] = true
			}
		}
		i := slices.IndexFunc(w.s.Pods, func(p daemonset.Pod) bool { return !with[p.NodeName] })
		w.s.Pods[i].Ready = false
	}
}

func updateSequence(t *testing.T, steps []daemonSetStep, nodes int) (passes [][2]int) {
	w := newDaemonSetWorld(t)
	for i := range nodes {
		w.s.Nodes = append(w.s.Nodes, daemonset.Node{Name: fmt.Sprint("node-", i)})
	}
	for _, s := range steps {
		if s.Time != 0 {
			w.now = time.Unix(1000+s.Time, 0)
		}
		if s.Do != "sync" {
			w.do(s)
			continue
		}
		created, deleted := w.sync()
		passes = append(passes, [2]int{created, deleted})
	}
	return passes
}

// nodesToUpdate compares the nodes with pods to update: if all may be unavailable, their pods are
// deleted at once.
func nodesToUpdate(t *testing.T, r recorded.Recording, in daemonSetCase) answer {
	nodes := read[struct {
		Nodes []struct {
			Name                           string
			Selected, Terminating, Updated bool
		}
	}](t, r).Nodes
	w := newDaemonSetWorld(t)
	w.update()
	w.s.DaemonSet.MaxUnavailable, w.s.DaemonSet.Partition = rollout.Percent(100), rollout.Int(in.Partition)
	if in.Selector {
		w.s.DaemonSet.NodeSelector = &selector.LabelSelector{MatchLabels: map[string]string{"selected": "true"}}
	}
	updated := map[string]bool{}
	for i, n := range nodes {
		w.s.Nodes = append(w.s.Nodes, daemonset.Node{Name: n.Name, Labels: map[string]string{"selected": fmt.Sprint(n.Selected)}})
		pod := podorder.Pod{
			Name: "logs-" + n.Name, UID: fmt.Sprint(i), ControllerUID: "d", NodeName: n.Name, Phase: podorder.Running, Ready: true, ReadySince: w.now,
			Labels: map[string]string{"app": "logs", daemonset.LabelHash: "h1"},
		}
		if updated[n.Name] = n.Updated; n.Updated {
			pod.Labels[daemonset.LabelHash] = "h2"
		}
		if n.Terminating {
			pod.DeletionTimestamp = w.now
		}
		w.s.Pods = append(w.s.Pods, daemonset.Pod{Pod: pod})
	}
	for _, hash := range []string{"h1", "h2"} {
		w.s.Revisions = append(w.s.Revisions, revision.ControllerRevision{
			Name: "logs-" + hash, UID: hash, ControllerUID: "d", Data: []byte(hash), Labels: map[string]string{"app": "logs", daemonset.LabelHash: hash},
		})
	}
	p, err := daemonset.Reconcile(w.s, w.now, daemonset.Options{Dialect: daemonset.OpenKruise})
	require.NoError(t, err)
	got := []string{}
	for _, a := range p.Actions {
		if d, ok := a.(daemonset.DeletePod); ok {
			got = append(got, strings.TrimPrefix(d.Name, "logs-"))
		}
	}
	want := slices.DeleteFunc(result[[]string](t, r), func(name string) bool { return updated[name] })
	return answer{want: slices.Sorted(slices.Values(want)), got: slices.Sorted(slices.Values(got))}
}
