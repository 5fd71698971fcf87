// SPDX-License-Identifier: Apache-2.0

package invariant_test

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/invariant"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

// zoned are pods on three nodes: 3, 2 and 1, ready for different times.
func zoned() []podorder.Pod {
	var pods []podorder.Pod
	for i, node := range []string{"n1", "n1", "n1", "n2", "n2", "n3"} {
		name := string(rune('a' + i))
		pods = append(pods, podorder.Pod{
			Name: name, UID: "u" + name, NodeName: node, Phase: podorder.Running, Ready: true,
			ReadySince: t0.Add(-time.Hour - time.Duration(6-i)*time.Second), CreationTimestamp: t0.Add(-2 * time.Hour), Restarts: int32(i),
		})
	}
	return pods
}

// choiceOf names the first pods of a list.
func choiceOf(order func(pods []podorder.Pod) []int) func(podorder.Order, []podorder.Pod, int) podorder.Choice {
	return func(_ podorder.Order, pods []podorder.Pod, n int) podorder.Choice {
		all := order(pods)
		return podorder.Choice{Victims: all[:min(max(n, 0), len(all))]}
	}
}

// inOrder chooses the first pods of the list, whatever they are.
var inOrder = choiceOf(func(pods []podorder.Pod) []int {
	all := make([]int, len(pods))
	for i := range all {
		all[i] = i
	}
	return all
})

func orderPlants() []plant {
	choosing := func(name, bug string, o podorder.Order, n int, change func(*invariant.Choosing)) plant {
		return inCase(name, bug, invariant.Choosing{Order: o, Pods: zoned(), N: n}, change)
	}
	badly := func(c *invariant.Choosing) { c.Choose = inOrder }
	plain := podorder.New(t0, nil)
	spread := podorder.Order{Now: t0, Stages: []podorder.Stage{{Rule: podorder.RuleSpread}}}
	protect := podorder.Order{Now: t0, Protected: func(p *podorder.Pod) bool { return p.Name < "c" }}
	named := podorder.Order{Now: t0, Stages: append([]podorder.Stage{podorder.Specified("a")}, podorder.Current.Stages()...)}
	last := podorder.Order{Now: t0, Stages: append([]podorder.Stage{podorder.Specified("f")}, podorder.Current.Stages()...)}
	first := podorder.Order{Now: t0, Priority: podorder.PriorityAnnotatedFirst}
	pods := zoned()
	pods[5].Annotations = map[string]string{podorder.AnnotationDeletePriority: "9"}
	point := zoned()
	for i := range point {
		point[i].Annotations = map[string]string{pausepoint.Annotation: "before"}
	}
	pausing := invariant.Pausing{Order: plain, Pods: point, Downs: []pausepoint.ScaleDown{{Name: "old", N: 3, Cause: pausepoint.CauseRollout}}, State: pausepoint.State{Name: "web", UID: "u", Revision: 2}}
	pausing.Plan = pausepoint.Decide(pausing.Order, pausing.Pods, pausing.Downs, pausing.State)
	return []plant{
		choosing("strict weak order", "every pod comes before every other", podorder.Order{}, 0, func(c *invariant.Choosing) {
			c.Compare = func(podorder.Order, podorder.Pod, podorder.Pod) int { return -1 }
		}),
		choosing("order of the input", "the first of the list go", plain, 2, badly),
		choosing("victims are a prefix", "an even number is taken from the other end", plain, 2, func(c *invariant.Choosing) {
			c.Choose = func(o podorder.Order, pods []podorder.Pod, n int) podorder.Choice {
				all := o.Choose(pods, nil, len(pods))
				if n%2 == 0 {
					slices.Reverse(all.Victims)
				}
				all.Victims = all.Victims[:min(n, len(all.Victims))]
				return all
			}
		}),
		choosing("order of the rules", "the crowded node is not seen", podorder.New(t0, podorder.Neighbours{"n1": 1, "n2": 2, "n3": 9}), 1, badly),
		inCase("deletion cost parsing", "a leading plus is read", invariant.Costing{Text: "+5"}, func(c *invariant.Costing) { c.Cost, c.Valid = 5, true }),
		choosing("UID within an age bucket", "the youngest of a bucket goes first", plain, 0, func(c *invariant.Choosing) {
			c.Sort = func(_ podorder.Order, pods []podorder.Pod) {
				slices.SortFunc(pods, func(a, b podorder.Pod) int { return b.ReadySince.Compare(a.ReadySince) })
			}
		}),
		choosing("spread counts anew", "neighbours are counted once", spread, 3, badly),
		inCase("priorities and pause points", "a priority is not read", invariant.Choosing{Order: first, Pods: pods, N: 1}, badly),
		inCase("priorities and pause points", "a pause point is passed", pausing, func(c *invariant.Pausing) { c.Plan.Delete = []int{1} }),
		choosing("protected pods stay", "protected pods go", protect, 3, badly),
		choosing("named pods go first", "the named pod stays", last, 1, badly),
		choosing("spread is even", "a node is emptied", spread, 3, badly),
		choosing("stage dominance", "the last stage counts first", named, 0, func(c *invariant.Choosing) {
			c.Sort = func(o podorder.Order, pods []podorder.Pod) {
				slices.Reverse(o.Stages)
				o.Sort(pods)
			}
		}),
	}
}

func selectorPlants() []plant {
	app := &selector.LabelSelector{MatchExpressions: []selector.Expression{
		{Key: "app", Operator: selector.In, Values: []string{"web", "db"}}, {Key: "old", Operator: selector.DoesNotExist},
	}}
	web := &selector.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	labels := []map[string]string{nil, {"app": "web"}, {"app": "db", "old": ""}, {"app": "x"}, {"app": "db"}}
	selecting := func(name, bug string, change func(*invariant.Selecting)) plant {
		return inCase(name, bug, invariant.Selecting{A: app, B: web, Labels: labels}, change)
	}
	always := func(c *invariant.Selecting) {
		c.Matches = func(selector.Selector, map[string]string) bool { return true }
	}
	claiming := func(name, bug string, change func(*claim.Claim)) plant {
		c := invariant.Claiming{Owner: claim.Owner{Kind: "ReplicaSet", Name: "web", UID: "u"}, Selector: web, Children: []claim.Child{
			{Name: "own", Labels: labels[1], ControllerUID: "u", ControllerKind: "ReplicaSet"}, {Name: "orphan", Labels: labels[1]},
			{Name: "lost", Labels: labels[3], ControllerUID: "u", ControllerKind: "ReplicaSet"}, {Name: "foreign", Labels: labels[1], ControllerUID: "x", ControllerKind: "Job"},
		}}
		return inCase(name, bug, c, func(c *invariant.Claiming) {
			c.Classify = func(o *claim.Owner, n int, child func(int) claim.Child) claim.Claim {
				claim := claim.Classify(o, n, child)
				change(&claim)
				return claim
			}
		})
	}
	versions := invariant.Versioning{Limit: ptr.To(int32(0)), Live: []string{"r1"}}
	for i, name := range []string{"r1", "r2", "r3"} {
		versions.Revisions = append(versions.Revisions, revision.ControllerRevision{Name: name, UID: name, Revision: int64(3 - i), CreationTimestamp: t0})
	}
	hash := invariant.Hashing{DumpA: "a", DumpB: "a", HashA: revision.Hash("a", nil), HashB: revision.Hash("a", nil)}
	return []plant{
		selecting("selector text round trip", "a part of the text is not read", func(c *invariant.Selecting) {
			c.Parse = func(text string) (selector.Selector, error) { return selector.Parse("app") }
		}),
		selecting("selector semantics", "a condition is not looked at", always),
		selecting("opposite operators", "both of two opposites hold", always),
		selecting("nil and empty selector", "nil selects everything", func(c *invariant.Selecting) {
			c.Compile = func(*selector.LabelSelector) (selector.Selector, error) { return selector.Everything(), nil }
		}),
		selecting("overlap and implication examples", "an example that only one selects", func(c *invariant.Selecting) {
			c.Overlap = func(selector.Selector, selector.Selector) (map[string]string, bool) { return labels[3], true }
		}),
		selecting("overlap and implication examples", "everything implies everything", func(c *invariant.Selecting) {
			c.Implies = func(selector.Selector, selector.Selector) (map[string]string, bool) { return nil, true }
		}),
		claiming("claim decision", "an orphan is ignored", func(c *claim.Claim) { c.Adopt = nil }),
		claiming("claim settles", "a child that does not match is kept", func(c *claim.Claim) { c.Keep, c.Release = append(c.Keep, c.Release...), c.Keep }),
		claiming("no stealing", "a child of another is adopted", func(c *claim.Claim) { c.Adopt = append(c.Adopt, 3) }),
		inCase("template hash", "the hash depends on more than the template", hash, func(c *invariant.Hashing) { c.HashB = revision.Hash("a ", nil) }),
		inCase("next revision", "the number of revisions instead of the highest", versions, func(c *invariant.Versioning) {
			c.Next = func(old []int64) int64 { return int64(len(old)) }
		}),
		inCase("revisions in use stay", "the oldest goes, used or not", versions, func(c *invariant.Versioning) {
			c.Truncate = func([]revision.ControllerRevision, []string, *int32) []int { return []int{0, 1} }
		}),
		inCase("order of revisions", "the order is that of the list", versions, func(c *invariant.Versioning) {
			c.Sort = func(r []revision.ControllerRevision) []revision.ControllerRevision { return r }
		}),
	}
}
