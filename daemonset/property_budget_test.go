// SPDX-License-Identifier: Apache-2.0

package daemonset_test

import (
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/daemonset/reason"
	"github.com/kplan-go/kplan/rollout"
)

// available is the obvious version of when a pod is available.
func available(p *daemonset.Pod, d *daemonset.DaemonSet, opts daemonset.Options) bool {
	since := t0.Sub(p.ReadySince)
	need := time.Duration(d.MinReadySeconds) * time.Second
	return p.Ready && (need == 0 || (!p.ReadySince.IsZero() && (since > need || (since == need && opts.Dialect == daemonset.Kubernetes))))
}

// notServing counts the desired nodes that serve nobody.
func notServing(s *daemonset.Snapshot, opts daemonset.Options, serving map[string]bool) int {
	down := 0
	for name, place := range placements(s, opts) {
		if place[0] && !serving[name] {
			down++
		}
	}
	return down
}

// oldAlone returns the old pods that are the only one of their node that is not being
// deleted.
func oldAlone(s *daemonset.Snapshot) (list []daemonset.Pod) {
	count := map[string]int{}
	for _, p := range mine(s) {
		if p.DeletionTimestamp.IsZero() {
			count[nodeOf(p)]++
		}
	}
	for _, p := range mine(s) {
		old := p.Labels[daemonset.LabelHash] != "v2" && (s.DaemonSet.Annotations == nil || p.Labels[daemonset.LabelGeneration] != "5")
		if p.DeletionTimestamp.IsZero() && nodeOf(p) != "" && count[nodeOf(p)] == 1 && old && len(s.Revisions) < 3 {
			list = append(list, p)
		}
	}
	return list
}

// Strictly, what goes and what serves nobody for another reason than that its old pod is to
// be replaced stays within the budget.
func TestPropertyStrictBudget(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		d := &s.DaemonSet
		d.MaxSurge, d.PreDelete, d.Partition, d.NodeSelector = rollout.IntOrPercent{}, nil, rollout.IntOrPercent{}, nil
		opts.Dialect, opts.SkipDeadNodes, opts.StrictUnavailable, opts.Prune = daemonset.Kubernetes, 0, true, false
		opts.Repair = sample1(t, "repair", 0, quirk.OutsideNodesUseBudget)
		s.Revisions, d.RollingType = s.Revisions[:min(2, len(s.Revisions))], daemonset.Standard
		p, err := daemonset.UpdateOnly(s, t0, opts)
		if err != nil {
			t.Fatal(err)
		}
		serving := map[string]bool{}
		for _, p := range mine(&s) {
			if p.DeletionTimestamp.IsZero() && available(&p, d, opts) {
				serving[nodeOf(p)] = true
			}
		}
		for _, pod := range oldAlone(&s) {
			serving[nodeOf(pod)] = true // or is to be replaced
		}
		down, limit := notServing(&s, opts, serving), int(p.Budget.Unavailable)
		if taken := len(choices(p.Actions).remove); taken > 0 && taken+down > limit {
			t.Fatalf("%d nodes are down for other reasons, %d pods go, %d may: %v", down, taken, limit, p)
		}
	})
}

// What an update without surge may take away.
func TestPropertyUpdateBudget(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		s.DaemonSet.MaxSurge = rollout.IntOrPercent{}
		if s.DaemonSet.RollingType == daemonset.Surging {
			s.DaemonSet.RollingType = daemonset.Standard
		}
		s.DaemonSet.PreDelete = nil
		p, err := daemonset.UpdateOnly(s, t0, opts)
		if err != nil {
			t.Fatal(err)
		}
		c := choices(p.Actions)
		taken := append(c.remove, c.inPlace...)
		d := &s.DaemonSet
		if len(c.create) > 0 || (len(taken) > 0 && (d.Paused || d.Strategy == daemonset.OnDelete)) {
			t.Fatalf("%v", p)
		}
		byName, serving := map[string]daemonset.Pod{}, map[string]bool{}
		for _, p := range mine(&s) {
			byName[p.Name] = p
			if p.DeletionTimestamp.IsZero() && available(&p, d, opts) {
				serving[nodeOf(p)] = true
			}
		}
		good, bad := 0, 0
		for _, name := range taken {
			pod := byName[name]
			if available(&pod, d, opts) {
				good++
			} else {
				bad++
			}
			if d.NodeSelector != nil && len(d.NodeSelector.MatchLabels) > 0 {
				i := slices.IndexFunc(s.Nodes, func(n daemonset.Node) bool { return n.Name == nodeOf(pod) })
				if i < 0 || s.Nodes[i].Labels["zone"] != "a" {
					t.Fatalf("%s is not selected", nodeOf(pod))
				}
			}
		}
		limit := int(p.Budget.Unavailable)
		if good > limit {
			t.Fatalf("%d available pods go, %d may", good, limit)
		}
		if opts.StrictUnavailable && good+bad > limit {
			t.Fatalf("%d pods go, %d may", good+bad, limit)
		}
		if waits := slices.ContainsFunc(p.Holds, func(h kplan.Hold) bool { return h.Reason == reason.Strict }); waits && good > 0 {
			t.Fatalf("available pods go while others wait: %v", p)
		}
		plain := opts.Dialect == daemonset.Kubernetes && opts.Repair == 0 && opts.SkipDeadNodes == 0 && d.Partition.IsZero() && d.NodeSelector == nil
		if down := notServing(&s, opts, serving); plain && good > 0 && good+down > limit {
			t.Fatalf("%d nodes are down already, %d more go, %d may: %v", down, good, limit, p)
		}
		if plain && !opts.StrictUnavailable && !opts.Prune && len(taken) < 250 && d.Burst.IsZero() && !d.Paused && d.Strategy != daemonset.OnDelete {
			for _, pod := range oldAlone(&s) {
				if !available(&pod, d, opts) && !slices.Contains(taken, pod.Name) {
					t.Fatalf("%s serves nobody and stays: %v", pod.Name, p)
				}
			}
		}
		dead := 0
		for _, h := range p.Holds {
			if h.Reason == reason.DeadNode {
				dead++
				if slices.ContainsFunc(taken, func(name string) bool { pod := byName[name]; return nodeOf(pod) == h.Node }) {
					t.Fatalf("%s is skipped, and its pod goes: %v", h.Node, p)
				}
			}
		}
		if dead > int(opts.SkipDeadNodes) {
			t.Fatalf("%d dead nodes are skipped", dead)
		}
	})
}
