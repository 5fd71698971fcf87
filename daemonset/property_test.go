// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"flag"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
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

// anything draws any snapshot that the planner accepts.
func anything(t *rapid.T) daemonset.Snapshot {
	s := random.Rapid(t)
	return random.DaemonSet(s, random.Kinds(s))
}

func anyOptions(t *rapid.T) daemonset.Options { return random.DaemonSetOptions(random.Rapid(t)) }

func reconcile(t *rapid.T, s daemonset.Snapshot, now time.Time, opts daemonset.Options) daemonset.Plan {
	p, err := daemonset.Reconcile(s, now, opts)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPropertyPure(t *testing.T) {
	checkTimes(t, 5, func(t *rapid.T) { pure(t, random.Rapid(t)) })
}

// A plan comes through JSON as it is, and neither it nor what comes of it, carried out or
// not, has an empty list that is not nil.
func TestPropertyNilWhenEmpty(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, o := anything(t), anyOptions(t)
		p, err := daemonset.Reconcile(s, t0, o)
		if err != nil {
			return
		}
		purity.ThroughJSON(t, p)
		answers := []kplan.ServerAnswer{kplan.Done, kplan.Done, kplan.Done, kplan.NotFound, kplan.Failed}
		r := daemonset.Report{Outcomes: make([]kplan.Outcome, len(p.Actions))}
		for i := range r.Outcomes {
			r.Outcomes[i].Answer = rapid.SampledFrom(answers).Draw(t, "answer")
		}
		result := daemonset.FinishPlan(s, p, r, t0, o)
		result.Err, result.Errs = nil, nil
		next, err := p.Apply(s, t0)
		if err != nil {
			next = s
		}
		purity.NilWhenEmpty(t, next, result)
	})
}

func FuzzReconcile(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) { pure(t, random.Bytes(data)) })
}

// A plan does not depend on the order of its lists, shares no memory, and survives
// JSON; and so does an explanation.
func pure(t purity.T, source random.Source) {
	opts, s := random.DaemonSetOptions(source), random.DaemonSet(source, random.Kinds(source))
	if random.Bool(source, "resources") {
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

// placements returns where pods belong, as the invariants see it.
func placements(s *daemonset.Snapshot, opts daemonset.Options) map[string][2]bool {
	places := map[string][2]bool{}
	for i := range s.Nodes {
		run, keep := invariant.Placed(&s.DaemonSet.Template, &s.Nodes[i], opts)
		places[s.Nodes[i].Name] = [2]bool{run, keep}
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

// allOrNone draws options without repairs or with all: the invariants know what either breaks.
func allOrNone(t *rapid.T) daemonset.Options {
	opts := anyOptions(t)
	opts.Repair = sample1(t, "all repairs", 0, quirk.All)
	return opts
}

// keeps checks named invariants of the plan for a snapshot, which it returns.
func keeps(t *rapid.T, s daemonset.Snapshot, opts daemonset.Options, names ...string) daemonset.Plan {
	p := reconcile(t, s, t0, opts)
	pass := invariant.DaemonSetPass{Snapshot: s, Now: t0, Options: opts, Plan: p}
	planner := invariant.DaemonSetPlanner{Snapshot: s, Now: t0, Options: opts, Plan: daemonset.Reconcile}
	for _, name := range names {
		if !slices.ContainsFunc(invariant.All(), func(i invariant.Invariant) bool { return i.Name == name }) {
			t.Fatalf("no invariant is called %q", name)
		}
		if found := append(invariant.Check(name, &pass), invariant.Check(name, &planner)...); len(found) > 0 {
			t.Fatalf("%s: %v\n%v", name, found, p)
		}
	}
	return p
}

// The status is that of a recount, a cordon changes nothing, and an explanation places
// pods like the plan.
func TestPropertyStatus(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), allOrNone(t)
		keeps(t, s, opts, "DaemonSet status recount", "placement", "misplaced pods go", "cordon changes nothing")
		places := placements(&s, opts)
		reports, err := daemonset.Explain(s, t0, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range reports {
			if place := places[r.Node]; place != [2]bool{r.Placement.ShouldRun, r.Placement.ShouldContinueRunning} {
				t.Fatalf("placed wrongly: %v", r)
			}
		}
	})
}

// After manage plans have been executed until they end, no node has more
// running pods than it may, those that should have none have none, and the others one.
func TestPropertyManageEnds(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := purity.Clone(anything(t)), anyOptions(t)
		s.DaemonSet.PreDelete, s.DaemonSet.Burst, opts.Freeze, s.Unseen = nil, rollout.IntOrPercent{}, false, false
		s.DaemonSet.Paused = true // no update
		// A marked pod stays until its kubelet has ended it, and there is none on a node that
		// is gone.
		opts.Repair |= quirk.PodsOfMissingNodesDeletedAgain
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
		places, there := placements(&s, opts), map[string]bool{}
		for _, p := range mine(&s) {
			there[nodeOf(p)] = true
		}
		for node, place := range places {
			if place[0] && !there[node] && !s.DaemonSet.Progressive {
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
