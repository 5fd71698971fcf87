// SPDX-License-Identifier: Apache-2.0

package deploy_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/replicaset"
)

var corrected = deploy.Options{Repair: quirk.All}

func reconcileWith(t testing.TB, s deploy.Snapshot, opts deploy.Options) deploy.Plan {
	t.Helper()
	p, err := deploy.Reconcile(s, t0, opts)
	require.NoError(t, err)
	produce(p)
	return p
}

// actions returns what a plan does, one word for each action.
func actions(p deploy.Plan) string {
	var words []string
	for _, a := range p.Actions {
		switch a := a.(type) {
		case deploy.CreateReplicaSet:
			words = append(words, fmt.Sprintf("create %s %d", a.Name, a.Replicas))
		case deploy.ScaleReplicaSet:
			words = append(words, fmt.Sprintf("%s %d->%d", a.Name, a.From, a.To))
		case deploy.DeleteReplicaSet:
			words = append(words, "delete "+a.Name)
		case deploy.AnnotateReplicaSet:
			words = append(words, "annotate "+a.Name)
		case deploy.AnnotateDeployment:
			words = append(words, "annotate deployment")
		case deploy.AdoptReplicaSet:
			words = append(words, "adopt "+a.Name)
		case deploy.ReleaseReplicaSet:
			words = append(words, "release "+a.Name)
		case deploy.RollBackDeployment:
			words = append(words, fmt.Sprintf("roll back to %s (%d)", a.Name, a.Revision))
		case deploy.ClearRollback:
			words = append(words, "clear")
		case deploy.PauseDeployment:
			words = append(words, fmt.Sprintf("pause %s %s", a.Mode, a.Pod))
		}
	}
	return strings.Join(words, ", ")
}

// TestPolicies has each policy against the default.
func TestPolicies(t *testing.T) {
	leaving := func(n int32) func(*replicaset.ReplicaSet) {
		return func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = &n }
	}
	silent := func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = nil }
	between := []replicaset.ReplicaSet{set(1, 8, sized("10", "13")), set(2, 2, sized("10", "13"))}
	for _, c := range []struct {
		why           string
		s             deploy.Snapshot
		opts          deploy.Options
		before, after string
	}{
		{"terminating pods take up the surge",
			snapshot(web(15), set(1, 12, leaving(3)), set(2, 4)),
			deploy.Options{Terminating: deploy.TerminationComplete}, "web-v2 4->7", "web-v1 12->8"},
		{"terminating pods take up the surge when scaling",
			snapshot(web(12, limits(0, 1)), set(1, 8, sized("10", "10"), leaving(1)), set(2, 2, sized("10", "10"))),
			deploy.Options{Terminating: deploy.TerminationComplete}, "web-v1 8->10, annotate web-v2", "web-v1 8->9, annotate web-v2"},
		{"unknown terminating pods are ignored", snapshot(web(15), set(1, 12, silent), set(2, 4)),
			deploy.Options{Terminating: deploy.TerminationComplete}, "web-v2 4->7", "web-v2 4->7"},
		{"or block", snapshot(web(15), set(1, 12, silent), set(2, 4)),
			deploy.Options{Terminating: deploy.TerminationKnown}, "web-v2 4->7", "web-v1 12->8"},
		{"a paused Deployment is not filled up", snapshot(web(10, limits(3, 2), paused), between...),
			deploy.Options{Paused: deploy.PausedScale}, "web-v1 8->11", ""},
		{"but scales", snapshot(web(11, limits(3, 2), paused), between...),
			deploy.Options{Paused: deploy.PausedScale}, "web-v1 8->12, annotate web-v2", "web-v1 8->12, annotate web-v2"},
		{"or is frozen", snapshot(web(11, limits(3, 2), paused, history(0)), append(between, set(3, 0, numbered("1")))...),
			deploy.Options{Paused: deploy.PausedFreeze}, "web-v1 8->12, annotate web-v2, delete web-v3", ""},
		{"the new template comes first", snapshot(web(6, limits(3, 2), template("v2")), set(1, 3, sized("3", "5"))),
			deploy.Options{RolloutFirst: true}, "web-v1 3->6", "create web-v2 6, annotate deployment, annotate web-v1"},
		{"unless it is there already, here as the oldest", snapshot(web(6, limits(3, 2), template("v1")), set(1, 1, sized("3", "5")), set(2, 2, sized("3", "5"))),
			deploy.Options{RolloutFirst: true}, "annotate web-v1, web-v2 2->7, web-v1 1->2", "annotate web-v1, web-v2 2->7, web-v1 1->2"},
		{"sizes that add up are brought to their shares",
			snapshot(web(15, limits(1, 0)), set(1, 12, sized("20", "20")), set(2, 4, sized("10", "10"))),
			deploy.Options{WeighByAvailable: true}, "annotate web-v1, annotate web-v2", "web-v1 12->10, web-v2 4->6"},
		{"a template that does not start is not fed",
			snapshot(web(20, limits(4, 1)), set(1, 10, sized("12", "16")), set(2, 4, sized("12", "16"), counts(4, 0))),
			deploy.Options{WeighByAvailable: true}, "web-v1 10->18, web-v2 4->6", "web-v1 10->20, annotate web-v2"},
		{"leftovers to the youngest", snapshot(web(11, limits(3, 2)), between...),
			deploy.Options{Leftover: deploy.LeftoverNewest}, "web-v1 8->12, annotate web-v2", "web-v1 8->11, web-v2 2->3"},
		{"leftovers to the largest", snapshot(web(9, limits(0, 1)), set(1, 5, sized("8", "8")), set(2, 3, sized("8", "8"))),
			deploy.Options{Leftover: deploy.LeftoverLargest}, "web-v1 5->6, annotate web-v2", "web-v1 5->6, annotate web-v2"},
	} {
		t.Run(c.why, func(t *testing.T) {
			requireEqual(t, "default", c.before, actions(reconcileWith(t, c.s, deploy.Options{})))
			requireEqual(t, "policy", c.after, actions(reconcileWith(t, c.s, c.opts)))
		})
	}
}

func TestTerminatingHolds(t *testing.T) {
	leaving := func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = ptr.To(int32(3)) }
	silent := func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = nil }
	p := reconcileWith(t, snapshot(web(15), set(1, 12, leaving, counts(12, 8), leaving), set(2, 4)), deploy.Options{Terminating: deploy.TerminationComplete})
	require.Contains(t, holds(p), "web-v2 Terminating 19/19")
	p = reconcileWith(t, snapshot(web(15), set(1, 12, silent), set(2, 4)), deploy.Options{Terminating: deploy.TerminationKnown})
	require.Contains(t, holds(p), "web-v2 TerminatingUnknown 0/0")
}

func TestStrictAvailable(t *testing.T) {
	s := snapshot(web(3, limits(0, 3)), set(2, 3, counts(3, 0)))
	require.Equal(t, kplan.ConditionTrue, condition(reconcile(t, s).Status, deploy.ConditionAvailable).Status)
	strict := deploy.Options{StrictAvailable: true}
	require.Equal(t, kplan.ConditionFalse, condition(reconcileWith(t, s, strict).Status, deploy.ConditionAvailable).Status)
	none := snapshot(web(0), set(2, 0))
	require.Equal(t, kplan.ConditionTrue, condition(reconcileWith(t, none, strict).Status, deploy.ConditionAvailable).Status)
}

func TestOptionsAreChecked(t *testing.T) {
	_, err := deploy.Reconcile(snapshot(web(1)), t0, deploy.Options{Terminating: "x", Paused: "y", Leftover: "z"})
	require.EqualError(t, err, `Options.Leftover: "z": must be Largest or Newest, or unset
Options.Paused: "y": must be Scale or Freeze, or unset
Options.Terminating: "x": must be TerminationComplete or TerminationKnown, or unset`)
}

// TestPropertyCorrectedIsTheSame: where no defect shows, the repairs change
// nothing. In a rolling update with truthful statuses none does, but for the count
// of unavailable pods, the clock of a reused ReplicaSet and history that is in use.
func TestPropertyCorrectedIsTheSame(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := caughtUp(t)
		s.Deployment.ProgressDeadlineSeconds = ptr.To(int32(deploy.NoLimit))
		s.Deployment.RevisionHistoryLimit = ptr.To(int32(deploy.NoLimit))
		p := mustPlan(t, s)
		q, err := deploy.Reconcile(s, t0, corrected)
		if err != nil {
			t.Fatal(err)
		}
		p.Status.UnavailableReplicas, q.Status.UnavailableReplicas = 0, 0
		if diff := cmp.Diff(p, q); diff != "" {
			t.Fatal(diff)
		}
	})
}

// anyRepair draws no quirk, all of them, or some.
func anyRepair(t *rapid.T) quirk.Set {
	return rapid.OneOf(rapid.Just(quirk.Set(0)), rapid.Just(quirk.All),
		rapid.Map(rapid.Uint64Range(0, uint64(quirk.All)), func(n uint64) quirk.Set { return quirk.Set(n) })).Draw(t, "repair")
}

func anyOptions(t *rapid.T) deploy.Options { return random.DeploymentOptions(random.Rapid(t)) }

func TestPropertyPureWithOptions(t *testing.T) {
	check(t, func(t *rapid.T) {
		opts := anyOptions(t)
		purity.Check(t, anything(t), func(s deploy.Snapshot) (deploy.Plan, error) {
			return deploy.Reconcile(s, t0, opts)
		}, "ReplicaSets", "Pods")
	})
}

// TestPropertyPureWithPausePoints: two pods with one name or UID are an error, or do not matter.
func TestPropertyPureWithPausePoints(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := random.WithPods(random.Rapid(t), caughtUp(t)), anyOptions(t)
		opts.PausePoints = true
		purity.Check(t, s, func(s deploy.Snapshot) (deploy.Plan, error) { return deploy.Reconcile(s, t0, opts) }, "ReplicaSets", "Pods")
	})
}

// TestPropertyCorrectedSizes: under Corrected no size is negative, and a pass that
// scales in proportion reaches its sum exactly and moves every ReplicaSet the same
// way.
func TestPropertyCorrectedSizes(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		opts.Repair = quirk.All
		p, err := deploy.Reconcile(s, t0, opts)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range p.Actions {
			switch a := a.(type) {
			case deploy.ScaleReplicaSet:
				if a.To < 0 {
					t.Fatal(a)
				}
			case deploy.CreateReplicaSet:
				if a.Replicas < 0 {
					t.Fatal(a)
				}
			}
		}
	})
}

// TestPropertyExactScaling: scaling in the middle of a rollout, under Corrected,
// reaches replicas and surge exactly, never moves a ReplicaSet against the
// direction of the whole, and keeps each within one pod of its share.
func TestPropertyExactScaling(t *testing.T) {
	check(t, func(t *rapid.T) {
		before := rapid.Int32Range(2, 1<<30).Draw(t, "before")
		d := web(rapid.OneOf(rapid.Int32Range(0, 20), rapid.Int32Range(0, math.MaxInt32)).Draw(t, "after"), limits(rapid.Int32Range(0, 5).Draw(t, "surge"), 1))
		var sets []replicaset.ReplicaSet
		total := int64(0)
		for n := range rapid.IntRange(2, 5).Draw(t, "sets") {
			size := rapid.OneOf(rapid.Int32Range(1, 9), rapid.Int32Range(1, 1<<28)).Draw(t, "size")
			total += int64(size)
			sets = append(sets, set(n+1, size, sized(fmt.Sprint(before), fmt.Sprint(before)), counts(size, 0)))
		}
		s := purity.Clone(snapshot(d, sets...))
		if *d.Replicas == before {
			return
		}
		opts := deploy.Options{Repair: quirk.All, Leftover: rapid.SampledFrom([]deploy.LeftoverPolicy{"", deploy.LeftoverLargest, deploy.LeftoverNewest}).Draw(t, "leftover")}
		p, err := deploy.Reconcile(s, t0, opts)
		if err != nil {
			t.Fatal(err)
		}
		goal := int64(p.Budget.MaxTotal())
		if *d.Replicas == 0 {
			goal = 0
		}
		for _, a := range p.Actions {
			if a, ok := a.(deploy.ScaleReplicaSet); ok {
				if (goal >= total && a.To < a.From) || (goal <= total && a.To > a.From) {
					t.Fatalf("%v: against the direction %d -> %d", a, total, goal)
				}
				if share := float64(a.From) / float64(total) * float64(goal); math.Abs(float64(a.To)-share) > 1.001 {
					t.Fatalf("%v: the share is %f", a, share)
				}
			}
			if err := apply(&s, a); err != nil {
				t.Fatal(err)
			}
		}
		if wanted(s) != goal {
			t.Fatalf("%d wanted, not %d: %v", wanted(s), goal, p)
		}
	})
}

// TestPropertyReentrant: a scaling that is interrupted after any action and then
// changed ends as if the first had never begun, under Corrected and up to rounding
// of the interrupted sizes.
func TestPropertyReentrant(t *testing.T) {
	check(t, func(t *rapid.T) {
		unit := rapid.Int32Range(1, 50).Draw(t, "unit")
		a, b := rapid.Int32Range(1, 9).Draw(t, "a")*unit, rapid.Int32Range(1, 9).Draw(t, "b")*unit
		sum := a + b
		max := fmt.Sprint(sum)
		s := purity.Clone(snapshot(web(sum, limits(0, 1)), set(1, a, sized(max, max)), set(2, b, sized(max, max), counts(b, 0))))
		final := sum * rapid.Int32Range(1, 6).Draw(t, "final") // a multiple, so that shares are whole
		direct := scaledTo(t, purity.Clone(s), final, -1)
		half := scaledTo(t, s, sum*rapid.Int32Range(2, 6).Draw(t, "first"), rapid.IntRange(0, 2).Draw(t, "actions"))
		resumed := scaledTo(t, half, final, -1)
		for i := range direct.ReplicaSets {
			if *direct.ReplicaSets[i].Replicas != *resumed.ReplicaSets[i].Replicas {
				t.Fatalf("%d and %d: at once %d, resumed %d", a, b, *direct.ReplicaSets[i].Replicas, *resumed.ReplicaSets[i].Replicas)
			}
		}
	})
}

// scaledTo performs the first n actions, or all, of scaling to replicas.
func scaledTo(t *rapid.T, s deploy.Snapshot, replicas int32, n int) deploy.Snapshot {
	s.Deployment.Replicas = &replicas
	p, err := deploy.Reconcile(s, t0, corrected)
	if err != nil {
		t.Fatal(err)
	}
	for i, a := range p.Actions {
		if i == n {
			break
		}
		if err := apply(&s, a); err != nil {
			t.Fatal(err)
		}
	}
	return s
}
