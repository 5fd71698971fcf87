package deploy_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

var corrected = deploy.Options{Repair: deploy.RepairAll}

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

// TestCorrectedPlans has the input of each defect that shows in what a plan does,
// with what upstream does and what the repair does.
func TestCorrectedPlans(t *testing.T) {
	full := func(n int, size int32, max int32, change ...func(*replicaset.ReplicaSet)) replicaset.ReplicaSet {
		return set(n, size, append(change, sized(fmt.Sprint(max), fmt.Sprint(max)))...)
	}
	long := strings.Repeat("x", 249) + ".xyz"
	for _, c := range []struct {
		defect, why   string
		s             deploy.Snapshot
		before, after string
	}{
		{"D1", "a stale annotation on a set of the right size blocks all rollouts",
			snapshot(web(4, limits(0, 1)), full(1, 4, 5), set(2, 0)),
			"", "annotate web-v1"},
		{"D2", "Recreate with two active sets and a scale request is stuck",
			snapshot(web(5, recreate), full(1, 2, 3), full(2, 2, 3)),
			"", "web-v1 2->0"},
		{"D3", "the product of a large scale-up wraps around and old pods are killed",
			snapshot(web(100000, limits(0, 1)), full(1, 45000, 95000), full(2, 50000, 95000)),
			"web-v2 50000->97842, web-v1 45000->2158", "web-v2 50000->52632, web-v1 45000->47368"},
		{"D4", "replicas and surge wrap around: a set gets a negative size",
			snapshot(web(math.MaxInt32, limits(1, 0)), full(1, 3, 10), full(2, 2, 10)),
			"web-v1 3->0", "web-v1 3->1288490188, web-v2 2->858993459"},
		{"D5", "scaled up, an old set shrinks",
			snapshot(web(10, limits(0, 10)), full(1, 3, 20), full(2, 4, 20)),
			"web-v2 4->8, web-v1 3->2", "web-v2 4->6, web-v1 3->4"},
		{"D5", "sets resized by hand are turned upside down",
			snapshot(web(10, limits(0, 1)), full(1, 8, 5), full(2, 4, 5)),
			"web-v1 8->2, web-v2 4->8", "web-v1 8->7, web-v2 4->3"},
		{"D6", "what the first set cannot give is lost",
			snapshot(web(1, limits(0, 1), paused, template("v3")), full(1, 2, 1), full(2, 2, 1), full(3, 2, 1)),
			"web-v1 2->0", "web-v1 2->0, web-v2 2->0, web-v3 2->1"},
		{"D7", "all that rounding leaves over goes to the old set",
			snapshot(web(11, limits(3, 2)), set(1, 8, sized("10", "13")), set(2, 2, sized("10", "13"))),
			"web-v1 8->12, annotate web-v2", "web-v1 8->11, web-v2 2->3"},
		{"D8", "a scale request after an interrupted one does not know where it started",
			snapshot(web(15, limits(0, 1)), full(1, 12, 20), full(2, 4, 10)),
			"web-v1 12->11, annotate web-v2", "web-v1 12->9, web-v2 4->6"},
		{"D8", "what shrinks goes before a larger set that grows, so that no prefix wants more pods",
			snapshot(web(14, limits(0, 1)), full(1, 9, 10), full(2, 8, 20)),
			"web-v1 9->8, web-v2 8->6", "web-v2 8->4, web-v1 9->10"},
		{"D13", "one old set whose status is ahead stops the cleanup of all",
			snapshot(web(5, limits(2, 1)), set(1, 3, counts(5, 5)), set(2, 2, numbered("4")), set(3, 2, counts(2, 0))),
			"", "web-v3 2->0, web-v1 3->2"},
		{"D16", "a Deployment that is being deleted still writes its new ReplicaSet",
			snapshot(web(3, func(d *deploy.Deployment) { d.DeletionTimestamp, d.MinReadySeconds = t0, 5 }), set(2, 3)),
			"annotate web-v2", ""},
		{"D22", "an old set in use takes the place of the only one to go back to",
			snapshot(web(3, template("v9"), history(1), reported(3, 3, 3, 3)), set(1, 0), set(2, 0, counts(1, 1)), set(9, 3)),
			"delete web-v1", ""},
		{"D26", "saturation is read from an annotation that is no size",
			snapshot(web(3, limits(0, 1)), set(1, 1, sized("4", "4")), set(2, 3, sized("+3", "4"))),
			"web-v1 1->0", "web-v2 3->2, annotate web-v1"},
		{"D27", "the youngest set is started, not the one that ran last",
			snapshot(web(5, paused, template("v9")), set(1, 0, numbered("3")), set(2, 0, numbered("2"))),
			"web-v2 0->5", "web-v1 0->5"},
		{"D27", "of two with one revision still the youngest",
			snapshot(web(5, paused, template("v9")), set(1, 0, numbered("3")), set(2, 0, numbered("3")), set(3, 0, numbered("1"))),
			"web-v3 0->5", "web-v2 0->5"},
		{"D27", "revision 0 is one, and what is no number is none",
			snapshot(web(5, paused, template("v9")), set(1, 0, numbered("0")), set(2, 0, numbered("x"))),
			"web-v2 0->5", "web-v1 0->5"},
		{"D29", "pods of the new set that are about to go count as available",
			snapshot(web(10, limits(0, 2)), set(1, 7), set(2, 3, counts(5, 5))),
			"web-v1 7->3", "web-v1 7->5"},
		{"D31", "a name cut behind a dot is no name",
			snapshot(web(1, func(d *deploy.Deployment) { d.Name = long })),
			"create " + long[:250] + "-v2 1, annotate deployment", "create " + long[:249] + "-v2 1, annotate deployment"},
	} {
		t.Run(c.defect+" "+c.why, func(t *testing.T) {
			requireEqual(t, "upstream", c.before, actions(reconcileWith(t, c.s, deploy.Options{})))
			requireEqual(t, "corrected", c.after, actions(reconcileWith(t, c.s, corrected)))
		})
	}
}

// TestCorrectedD14: in the pass that scales, unavailable pods are those of the new
// sizes.
func TestCorrectedD14(t *testing.T) {
	s := snapshot(web(3, limits(0, 1)), set(1, 2), set(2, 0))
	require.Equal(t, "web-v2 0->1", sizes(reconcile(t, s)))
	require.Equal(t, int32(0), reconcile(t, s).Status.UnavailableReplicas)
	require.Equal(t, int32(1), reconcileWith(t, s, corrected).Status.UnavailableReplicas)
}

// TestCorrectedD17: a rollout that reuses a ReplicaSet starts the clock of the
// deadline anew.
func TestCorrectedD17(t *testing.T) {
	long := t0.Add(-24 * time.Hour)
	back := web(3, deadline(60), template("v1"), reported(3, 3, 3, 3), progressing("True", "NewReplicaSetAvailable", long, long))
	s := snapshot(back, set(1, 0), set(2, 3))
	require.Equal(t, long, condition(reconcile(t, s).Status, deploy.ConditionProgressing).LastUpdateTime)
	c := condition(reconcileWith(t, s, corrected).Status, deploy.ConditionProgressing)
	require.Equal(t, "FoundNewReplicaSet", c.Reason)
	require.Equal(t, t0, c.LastUpdateTime)

	failed := web(3, deadline(60), template("v1"), reported(3, 3, 0, 0), progressing("False", "ProgressDeadlineExceeded", long, long))
	s = snapshot(failed, set(1, 0), set(2, 3, counts(3, 0)))
	require.Equal(t, replicaset.ConditionFalse, condition(reconcile(t, s).Status, deploy.ConditionProgressing).Status)
	require.Equal(t, replicaset.ConditionTrue, condition(reconcileWith(t, s, corrected).Status, deploy.ConditionProgressing).Status)
}

// TestCorrectedD21: a failure with another message, and the end of a failure while
// paused, are reported.
func TestCorrectedD21(t *testing.T) {
	failing := func(message string) func(*replicaset.ReplicaSet) {
		return func(rs *replicaset.ReplicaSet) {
			rs.Status.Conditions = []replicaset.Condition{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: message, LastTransitionTime: t0}}
		}
	}
	had := func(d *deploy.Deployment) {
		d.Status.Conditions = []deploy.Condition{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", Message: "quota 1"}}
	}
	message := func(s deploy.Snapshot, opts deploy.Options) string {
		c := condition(reconcileWith(t, s, opts).Status, deploy.ConditionReplicaFailure)
		if c == nil {
			return "none"
		}
		return c.Message
	}
	changed := snapshot(web(3, had), set(2, 3, failing("quota 2")))
	over := snapshot(web(3, had, paused), set(2, 3))
	for _, c := range []struct {
		why           string
		s             deploy.Snapshot
		before, after string
	}{
		{"another message", changed, "quota 1", "quota 2"},
		{"over while paused", over, "quota 1", "none"},
	} {
		requireEqual(t, c.why, c.before, message(c.s, deploy.Options{}))
		requireEqual(t, c.why, c.after, message(c.s, corrected))
	}
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
	leaving := func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = new(int32(3)) }
	silent := func(rs *replicaset.ReplicaSet) { rs.Status.TerminatingReplicas = nil }
	p := reconcileWith(t, snapshot(web(15), set(1, 12, leaving, counts(12, 8), leaving), set(2, 4)), deploy.Options{Terminating: deploy.TerminationComplete})
	require.Contains(t, holds(p), "web-v2 Terminating 19/19")
	p = reconcileWith(t, snapshot(web(15), set(1, 12, silent), set(2, 4)), deploy.Options{Terminating: deploy.TerminationKnown})
	require.Contains(t, holds(p), "web-v2 TerminatingUnknown 0/0")
}

func TestStrictAvailable(t *testing.T) {
	s := snapshot(web(3, limits(0, 3)), set(2, 3, counts(3, 0)))
	require.Equal(t, replicaset.ConditionTrue, condition(reconcile(t, s).Status, deploy.ConditionAvailable).Status)
	strict := deploy.Options{StrictAvailable: true}
	require.Equal(t, replicaset.ConditionFalse, condition(reconcileWith(t, s, strict).Status, deploy.ConditionAvailable).Status)
	none := snapshot(web(0), set(2, 0))
	require.Equal(t, replicaset.ConditionTrue, condition(reconcileWith(t, none, strict).Status, deploy.ConditionAvailable).Status)
}

func TestOptionsAreChecked(t *testing.T) {
	_, err := deploy.Reconcile(snapshot(web(1)), t0, deploy.Options{Terminating: "x", Paused: "y", Leftover: "z"})
	require.EqualError(t, err, `Options.Leftover: "z": must be Largest or Newest, or unset
Options.Paused: "y": must be Scale or Freeze, or unset
Options.Terminating: "x": must be TerminationComplete or TerminationKnown, or unset`)
}

// TestPropertyCorrectedIsTheSame: where no defect shows, the repairs change
// nothing. In a rolling update with truthful statuses none does, but for the count
// of unavailable pods (D14), the clock of a reused ReplicaSet (D17) and history
// that is in use (D22).
func TestPropertyCorrectedIsTheSame(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := truthful(t)
		s.Deployment.ProgressDeadlineSeconds = new(int32(deploy.NoLimit))
		s.Deployment.RevisionHistoryLimit = new(int32(deploy.NoLimit))
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
func anyRepair(t *rapid.T) deploy.Quirks {
	return rapid.OneOf(rapid.Just(deploy.Quirks(0)), rapid.Just(deploy.RepairAll),
		rapid.Map(rapid.Uint64Range(0, uint64(deploy.RepairAll)), func(n uint64) deploy.Quirks { return deploy.Quirks(n) })).Draw(t, "repair")
}

func anyOptions(t *rapid.T) deploy.Options {
	return deploy.Options{
		Repair:           anyRepair(t),
		Terminating:      rapid.SampledFrom([]deploy.TerminatingPolicy{"", deploy.TerminationComplete, deploy.TerminationKnown}).Draw(t, "terminating"),
		Paused:           rapid.SampledFrom([]deploy.PausedPolicy{"", deploy.PausedScale, deploy.PausedFreeze}).Draw(t, "paused"),
		Leftover:         rapid.SampledFrom([]deploy.LeftoverPolicy{"", deploy.LeftoverLargest, deploy.LeftoverNewest}).Draw(t, "leftover"),
		RolloutFirst:     rapid.Bool().Draw(t, "rollout first"),
		WeighByAvailable: rapid.Bool().Draw(t, "weigh"),
		StrictAvailable:  rapid.Bool().Draw(t, "strict"),
		PausePoints:      rapid.Bool().Draw(t, "points"),
		Adoption:         rapid.SampledFrom([]deploy.AdoptionPolicy{"", deploy.AdoptSameTemplate, deploy.AdoptNone}).Draw(t, "adoption"),
	}
}

func TestPropertyPureWithOptions(t *testing.T) {
	check(t, func(t *rapid.T) {
		opts := anyOptions(t)
		purity.Check(t, anything(t), func(s deploy.Snapshot) (deploy.Plan, error) {
			return deploy.Reconcile(s, t0, opts)
		}, "ReplicaSets", "Pods")
	})
}

// TestPropertyCorrectedSizes: under Corrected no size is negative, and a pass that
// scales in proportion reaches its sum exactly and moves every ReplicaSet the same
// way.
func TestPropertyCorrectedSizes(t *testing.T) {
	check(t, func(t *rapid.T) {
		s, opts := anything(t), anyOptions(t)
		opts.Repair = deploy.RepairAll
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
		opts := deploy.Options{Repair: deploy.RepairAll, Leftover: rapid.SampledFrom([]deploy.LeftoverPolicy{"", deploy.LeftoverLargest, deploy.LeftoverNewest}).Draw(t, "leftover")}
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

// D4: a limit beyond the range of int32 wraps around. Corrected, it is the largest
// there is, and no available pod goes for it.
func TestCorrectedLimitsDoNotWrap(t *testing.T) {
	d := web(math.MaxInt32, func(d *deploy.Deployment) {
		d.MaxSurge, d.MaxUnavailable = rollout.Int(0), rollout.Percent(101)
	})
	s := snapshot(d, set(2, math.MaxInt32))
	require.Equal(t, int32(-2126008813), reconcile(t, s).Budget.Unavailable)
	require.Equal(t, int32(math.MaxInt32), reconcileWith(t, s, corrected).Budget.Unavailable)
}
