package daemonset_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/inplace"
	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"pgregory.net/rapid"
)

func sample1[T any](t *rapid.T, name string, values ...T) T {
	return rapid.SampledFrom(values).Draw(t, name)
}

// check is [rapid.Check], with twenty times as many cases unless their number is given:
// they are cheap, and what they look for takes several things at once.
func check(t *testing.T, property func(t *rapid.T)) {
	t.Helper()
	checkTimes(t, 20, property)
}

func checkTimes(t *testing.T, times int, property func(t *rapid.T)) {
	t.Helper()
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() != checks.DefValue {
		times = 1
	}
	for range times {
		rapid.Check(t, property)
	}
}

// someQuirks returns none, all, or any of the quirks.
func someQuirks(t *rapid.T) daemonset.Quirks {
	any := daemonset.Quirks(rapid.Uint64().Draw(t, "quirks")) & daemonset.RepairAll
	return sample1(t, "repair", 0, daemonset.RepairAll, any)
}

func anyOptions(t *rapid.T) daemonset.Options {
	flag := func(name string) bool { return rapid.IntRange(0, 4).Draw(t, name) == 0 }
	return daemonset.Options{
		Dialect: sample1(t, "dialect", daemonset.Kubernetes, daemonset.OpenKruise), Repair: someQuirks(t),
		Prune: flag("prune"), StrictUnavailable: flag("strict"), SkipDeadNodes: sample1[int32](t, "skip", 0, 0, 1, 2),
		KeepHealthyDuplicate: flag("healthy"), FiniteTolerationMeansNo: flag("finite"), KeepUserTolerations: flag("user"),
		PartitionCreatesOld: flag("creates old"), VerticalScaling: flag("scaling"), Freeze: rapid.IntRange(0, 19).Draw(t, "freeze") == 0,
	}
}

func someLimit(t *rapid.T, name string) rollout.IntOrPercent {
	return sample1(t, name, rollout.IntOrPercent{}, rollout.Int(0), rollout.Int(1), rollout.Int(2), rollout.Percent(0), rollout.Percent(34), rollout.Percent(100))
}

func anyNode(t *rapid.T, i int) daemonset.Node {
	n := daemonset.Node{Name: fmt.Sprintf("n%d", i), Rank: sample1[int32](t, "rank", 0, 0, 0, 1)}
	n.Labels = sample1(t, "labels", nil, map[string]string{"zone": "a"}, map[string]string{"zone": "b", "no": "daemon"})
	switch rapid.IntRange(0, 11).Draw(t, "taint") {
	case 0:
		n.Taints = []daemonset.Taint{taint("x", daemonset.NoSchedule)}
	case 1:
		n.Taints = []daemonset.Taint{taint("x", daemonset.NoExecute)}
	case 2, 3, 4:
		n.Taints = []daemonset.Taint{taint(daemonset.TaintUnreachable, daemonset.NoExecute), taint(daemonset.TaintUnreachable, daemonset.NoSchedule)}
	}
	return n
}

func anyPod(t *rapid.T, i, nodes int) daemonset.Pod {
	p := pod(fmt.Sprintf("p%d", i), fmt.Sprintf("n%d", rapid.IntRange(0, nodes).Draw(t, "node")), sample1(t, "version", "v1", "v1", "v2", "v2", "v0"))
	p.CreationTimestamp = t0.Add(-time.Duration(rapid.IntRange(1, 3).Draw(t, "age")) * time.Hour)
	p.ReadySince = sample1(t, "since", t0.Add(-time.Hour), t0.Add(-10*time.Second), t0.Add(-4*time.Second), time.Time{})
	for _, c := range []struct {
		name   string
		every  int
		change change
	}{
		{"unready", 4, unready}, {"failed", 8, failed}, {"succeeded", 12, succeeded}, {"unbound", 10, unbound}, {"terminating", 8, terminating},
		{"preparing", 10, preparing}, {"gated", 3, gated}, {"orphan", 20, func(p *daemonset.Pod) { p.ControllerUID, p.ControllerKind, p.ControllerName = "", "", "" }},
		{"other", 20, func(p *daemonset.Pod) { p.ControllerUID = "x" }}, {"mismatch", 20, label("app", "x")}, {"hold", 3, label("hold", "yes")},
		{"generation", 8, label(daemonset.LabelGeneration, "5")}, {"nowhere", 20, func(p *daemonset.Pod) { p.NodeName, p.PinnedNode = "", "" }},
	} {
		if rapid.IntRange(0, c.every).Draw(t, c.name) == c.every {
			c.change(&p)
		}
	}
	return p
}

// tidyPod returns the only pod of a node, which runs: what an update waits for.
func tidyPod(t *rapid.T, i int) daemonset.Pod {
	p := pod(fmt.Sprintf("p%d", i), fmt.Sprintf("n%d", i), sample1(t, "version", "v1", "v1", "v2"))
	p.ReadySince = sample1(t, "since", t0.Add(-time.Hour), t0.Add(-time.Hour), t0.Add(-10*time.Second), t0.Add(-4*time.Second))
	if rapid.IntRange(0, 3).Draw(t, "unready") == 0 {
		unready(&p)
	}
	if rapid.Bool().Draw(t, "gated") {
		gated(&p)
	}
	if rapid.IntRange(0, 3).Draw(t, "hold") == 0 {
		p.Labels["hold"] = "yes"
	}
	return p
}

// anything returns a snapshot of up to 7 nodes in any state.
func anything(t *rapid.T) daemonset.Snapshot {
	n := rapid.IntRange(0, 7).Draw(t, "nodes")
	s := daemonset.Snapshot{DaemonSet: agent()}
	d := &s.DaemonSet
	for i := range n {
		s.Nodes = append(s.Nodes, anyNode(t, i))
	}
	tidy := rapid.Bool().Draw(t, "tidy")
	for i := range n {
		if tidy {
			s.Nodes[i].Labels = map[string]string{"zone": "a"}
			s.Pods = append(s.Pods, tidyPod(t, i))
		}
	}
	for i := range rapid.IntRange(0, 2*n).Draw(t, "pods") {
		if !tidy {
			s.Pods = append(s.Pods, anyPod(t, i, n))
		}
	}
	s.Revisions = cluster(0).Revisions
	if rapid.IntRange(0, 5).Draw(t, "twins") == 0 {
		s.Revisions = append(s.Revisions, agentRevision("v3", 3))
		s.Revisions[2].Data = stored("v2")
	}
	if rapid.IntRange(0, 9).Draw(t, "new") == 0 {
		s.Revisions = s.Revisions[:1]
	}
	d.Template.NodeSelector = sample1(t, "node selector", nil, nil, map[string]string{"zone": "a"})
	d.Template.Affinity = sample1(t, "affinity", nil, nil, &selector.NodeSelector{Terms: []selector.NodeSelectorTerm{{
		MatchExpressions: []selector.Expression{{Key: "no", Operator: selector.DoesNotExist}},
	}}})
	d.MaxSurge, d.MaxUnavailable = someLimit(t, "surge"), someLimit(t, "unavailable")
	if rapid.Bool().Draw(t, "no surge") {
		d.MaxSurge = rollout.IntOrPercent{}
	}
	d.MinReadySeconds = sample1[int32](t, "min ready", 0, 0, 10)
	d.Strategy = sample1(t, "strategy", daemonset.RollingUpdate, daemonset.RollingUpdate, "", daemonset.OnDelete)
	d.Status.DesiredNumberScheduled = int32(rapid.IntRange(0, n).Draw(t, "status"))
	d.RevisionHistoryLimit = sample1(t, "history", nil, new(int32(0)))
	if rapid.Bool().Draw(t, "advanced") {
		advanced(t, d)
	}
	if rapid.Bool().Draw(t, "generation") {
		d.Annotations = map[string]string{daemonset.AnnotationGeneration: "5"}
	}
	if n > 0 && rapid.Bool().Draw(t, "backoff") {
		s.Backoff = daemonset.Backoff{{
			BackoffKey: daemonset.BackoffKey{UID: "agent-uid", Generation: 3, Node: "n0"}, Delay: 8 * time.Second,
			Since: t0.Add(-time.Duration(rapid.IntRange(0, 2000).Draw(t, "backoff since")) * time.Second),
		}}
	}
	return s
}

func advanced(t *rapid.T, d *daemonset.DaemonSet) {
	d.RollingType = sample1(t, "type", daemonset.Standard, daemonset.InPlaceIfPossible, daemonset.Surging)
	d.Partition, d.Burst = someLimit(t, "partition"), someLimit(t, "burst")
	d.NodeSelector = sample1(t, "update selector", nil, nil, &selector.LabelSelector{MatchLabels: map[string]string{"zone": "a"}}, &selector.LabelSelector{})
	d.Paused = rapid.IntRange(0, 5).Draw(t, "paused") == 0
	d.Progressive = rapid.Bool().Draw(t, "progressive")
	d.PreDelete = sample1(t, "hook", nil, nil, &daemonset.PreDelete{Labels: map[string]string{"hold": "yes"}})
}

func reconcile(t *rapid.T, s daemonset.Snapshot, now time.Time, opts daemonset.Options) daemonset.Plan {
	p, err := daemonset.Reconcile(s, now, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPropertyPure(t *testing.T) { checkTimes(t, 5, pure) }

func FuzzReconcile(f *testing.F) { f.Fuzz(rapid.MakeFuzz(pure)) }

// A plan does not depend on the order of its lists, shares no memory, and survives
// JSON; and so does an explanation.
func pure(t *rapid.T) {
	opts, s := anyOptions(t), anything(t)
	if rapid.Bool().Draw(t, "resources") {
		withResources(&s)
	}
	p := purity.Check(t, s, func(s daemonset.Snapshot) (daemonset.Plan, error) {
		return daemonset.Reconcile(s, t0, opts)
	}, "Nodes", "Pods", "Revisions", "Backoff")
	roundTrip(t, p)
	purity.Check(t, s, func(s daemonset.Snapshot) ([]daemonset.NodeReport, error) {
		return daemonset.Explain(s, t0, opts)
	}, "Nodes", "Pods", "Revisions", "Backoff")
}

// withResources gives each version of the template another limit.
func withResources(s *daemonset.Snapshot) {
	limit := func(data []byte) []byte {
		text := strings.Replace(string(data), `v1","name":"app"`, `v1","name":"app","resources":{"limits":{"cpu":"1"}}`, 1)
		return []byte(strings.Replace(text, `v2","name":"app"`, `v2","name":"app","resources":{"limits":{"cpu":"2"}}`, 1))
	}
	s.DaemonSet.Template.Data = limit(s.DaemonSet.Template.Data)
	for i := range s.Revisions {
		s.Revisions[i].Data = limit(s.Revisions[i].Data)
	}
}

// placements returns where pods belong, by a slow and obvious version of the placement for the
// nodes and templates of anything.
func placements(s *daemonset.Snapshot) map[string][2]bool {
	places := map[string][2]bool{}
	for _, n := range s.Nodes {
		run, keep := true, true
		for _, taint := range n.Taints {
			switch {
			case taint.Effect == daemonset.NoExecute && taint.Key == "x":
				run, keep = false, false
			case taint.Effect == daemonset.NoSchedule:
				run = false
			}
		}
		if want := s.DaemonSet.Template.NodeSelector["zone"]; want != "" && n.Labels["zone"] != want {
			run, keep = false, false
		}
		if _, no := n.Labels["no"]; no && s.DaemonSet.Template.Affinity != nil {
			run, keep = false, false
		}
		places[n.Name] = [2]bool{run, keep}
	}
	return places
}

// mine returns the pods of the DaemonSet after adoptions and releases.
func mine(s *daemonset.Snapshot) (list []daemonset.Pod) {
	for _, p := range s.Pods {
		ours := p.ControllerUID == "agent-uid" || (p.ControllerUID == "" && p.DeletionTimestamp.IsZero())
		if ours && p.Labels["app"] == "agent" {
			list = append(list, p)
		}
	}
	return list
}

func nodeOf(p daemonset.Pod) string {
	if p.NodeName != "" {
		return p.NodeName
	}
	return p.PinnedNode
}

// The status is that of a recount, and a cordon changes nothing.
func TestPropertyStatus(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		opts.Repair = 0
		p := reconcile(t, s, t0, opts)
		kruise := opts.Dialect == daemonset.OpenKruise
		places := placements(&s)
		reports, err := daemonset.Explain(s, t0, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range reports {
			if place := places[r.Node]; place != [2]bool{r.Placement.ShouldRun, r.Placement.ShouldContinueRunning} {
				t.Fatalf("placed wrongly: %v", r)
			}
		}
		current := "v2" // of twins the later one
		if i := len(s.Revisions) - 1; string(s.Revisions[i].Data) == string(stored("v2")) {
			current = s.Revisions[i].Labels[daemonset.LabelHash]
		}
		var want daemonset.Status
		for name, place := range places {
			var first *daemonset.Pod
			for _, p := range mine(&s) {
				if nodeOf(p) == name && (kruise || !(p.Finished() && !p.DeletionTimestamp.IsZero())) && (first == nil || daemonset.ComparePods(&p, first) < 0) {
					first = &p
				}
			}
			if place[0] {
				want.DesiredNumberScheduled++
			}
			switch {
			case first == nil:
			case !place[0]:
				want.NumberMisscheduled++
			default:
				want.CurrentNumberScheduled++
				if first.Ready {
					want.NumberReady++
				}
				closed := kruise && first.InPlace != nil && !first.InPlace.True && slices.Contains(first.ReadinessGates, inplace.Gate)
				if available(first, &s.DaemonSet, opts) && !closed {
					want.NumberAvailable++
				}
				byGeneration := s.DaemonSet.Annotations != nil && first.Labels[daemonset.LabelGeneration] == "5"
				if relabels(p) || byGeneration || first.Labels[daemonset.LabelHash] == current {
					want.UpdatedNumberScheduled++
				}
			}
		}
		got := p.Status
		want.ObservedGeneration, want.UpdateRevision = got.ObservedGeneration, got.UpdateRevision
		want.NumberUnavailable = want.DesiredNumberScheduled - want.NumberAvailable
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("(-want +got):\n%s", diff)
		}
		cordoned := purity.Clone(s)
		for i := range cordoned.Nodes {
			cordoned.Nodes[i].Taints = append(cordoned.Nodes[i].Taints, taint("node.kubernetes.io/unschedulable", daemonset.NoSchedule))
		}
		if diff := cmp.Diff(p, reconcile(t, cordoned, t0, opts)); diff != "" {
			t.Fatalf("a cordon changes the plan:\n%s", diff)
		}
	})
}

// After manage plans have been executed until they end, no node has more
// running pods than it may, those that should have none have none, and the others one.
func TestPropertyManageEnds(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := purity.Clone(anything(t)), anyOptions(t)
		s.DaemonSet.PreDelete, s.DaemonSet.Burst, opts.Freeze = nil, rollout.IntOrPercent{}, false
		s.DaemonSet.Paused = true // no update
		// A marked pod stays until its kubelet has ended it, and there is none on a node that
		// is gone.
		opts.Repair |= daemonset.PodsOfMissingNodesDeletedAgain
		now := t0
		for round := 0; ; round++ {
			p := reconcile(t, s, now, opts)
			if c := choices(p.Actions); len(c.create)+len(c.remove) == 0 {
				break
			}
			if round == 20 {
				t.Fatalf("it does not end: %v", p)
			}
			execute(&s, p, now)
			now = now.Add(20 * time.Minute)
		}
		most, running := 1, map[string]int{}
		surge := s.DaemonSet.MaxSurge
		if daemonset.SurgeAllowed(s.DaemonSet.Strategy, surge) || (surge.IsZero() && s.DaemonSet.RollingType == daemonset.Surging && s.DaemonSet.Strategy != daemonset.OnDelete) {
			most = 2
		}
		places, there := placements(&s), map[string]bool{}
		for _, p := range mine(&s) {
			there[nodeOf(p)] = true
		}
		for node, place := range places {
			if place[0] && !there[node] && !opts.FiniteTolerationMeansNo && !s.DaemonSet.Progressive {
				t.Fatalf("%s has no pod, though only the update is paused", node)
			}
		}
		for _, p := range mine(&s) {
			if !p.DeletionTimestamp.IsZero() {
				continue
			}
			node := nodeOf(p)
			if p.Phase != podorder.Failed { // it may wait for its delay
				running[node]++
			}
			place, exists := places[node]
			if exists && !place[1] {
				t.Fatalf("%s is on %s", p.Name, node)
			}
			if exists && running[node] > most {
				t.Fatalf("%d pods on %s", running[node], node)
			}
		}
	})
}
