package deploy_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/podorder/pausepoint"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
	"pgregory.net/rapid"
)

// A size of a ReplicaSet or Deployment is small, so that limits are hit, or
// anything up to the end of the range.
var (
	smallSizes = rapid.Int32Range(0, 12)
	anySizes   = rapid.OneOf(smallSizes, rapid.Int32Range(0, math.MaxInt32), rapid.Just(int32(math.MaxInt32)))
)

func limit() *rapid.Generator[rollout.IntOrPercent] {
	return rapid.OneOf(
		rapid.Just(rollout.IntOrPercent{}),
		rapid.Map(rapid.Int32Range(0, 6), rollout.Int),
		rapid.Map(rapid.Int32Range(0, 130), rollout.Percent),
	)
}

// truthful generates the snapshot of a Deployment whose ReplicaSets report no more
// available pods than they want, as they do once they have caught up with their
// specs. The Deployment has not been scaled in between.
func truthful(t *rapid.T) deploy.Snapshot {
	d := web(smallSizes.Draw(t, "replicas"))
	d.MaxSurge, d.MaxUnavailable = limit().Draw(t, "surge"), limit().Draw(t, "unavailable")
	d.ProgressDeadlineSeconds = rapid.SampledFrom([]*int32{nil, new(int32(1)), new(int32(deploy.NoLimit))}).Draw(t, "deadline")
	d.RevisionHistoryLimit = rapid.SampledFrom([]*int32{nil, new(int32(0)), new(int32(1)), new(int32(deploy.NoLimit))}).Draw(t, "history")
	d.Template = revision.Template{ID: "v0", Hash: "v0"}
	if n := rapid.IntRange(0, 5).Draw(t, "template"); n > 0 {
		d.Template.ID = fmt.Sprint("v", n)
	}
	var sets []replicaset.ReplicaSet
	for n := range rapid.IntRange(0, 4).Draw(t, "sets") {
		size := smallSizes.Draw(t, "size")
		replicas := rapid.Int32Range(0, size+2).Draw(t, "reported")
		available := rapid.Int32Range(0, min(size, replicas)).Draw(t, "available")
		rs := set(n+1, size, counts(replicas, available))
		if rapid.Bool().Draw(t, "same age") {
			rs.CreationTimestamp = t0.Add(-time.Hour)
		}
		sets = append(sets, rs)
	}
	return snapshot(d, sets...)
}

// anything generates snapshots that no cluster would show, too.
func anything(t *rapid.T) deploy.Snapshot {
	s := truthful(t)
	d := &s.Deployment
	d.Replicas = rapid.OneOf(rapid.Just[*int32](nil), rapid.Map(anySizes, ptr)).Draw(t, "replicas")
	d.Strategy = rapid.SampledFrom([]deploy.Strategy{"", deploy.RollingUpdate, deploy.Recreate}).Draw(t, "strategy")
	d.Paused = rapid.Bool().Draw(t, "paused")
	d.MinReadySeconds = rapid.SampledFrom([]int32{0, 5, math.MaxInt32}).Draw(t, "min ready")
	d.DeletionTimestamp = rapid.SampledFrom([]time.Time{{}, {}, {}, t0}).Draw(t, "deleting")
	d.Annotations = rapid.SampledFrom([]map[string]string{nil, {"team": "shop"}, {revision.AnnotationRevision: "x", "a": "b"}}).Draw(t, "annotations")
	d.Status.Conditions = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) deploy.Condition {
		return deploy.Condition{
			Type:   rapid.SampledFrom([]string{"Available", "Progressing", "ReplicaFailure", "Mine"}).Draw(t, "type"),
			Status: rapid.SampledFrom([]selector.ConditionStatus{"True", "False", "Unknown", ""}).Draw(t, "status"),
			Reason: rapid.SampledFrom([]string{"", "DeploymentPaused", "NewReplicaSetAvailable", "ProgressDeadlineExceeded", "ReplicaSetUpdated"}).Draw(t, "reason"),

			LastUpdateTime: rapid.SampledFrom([]time.Time{{}, t0, t0.Add(time.Hour), t0.Add(-time.Hour)}).Draw(t, "updated"),
		}
	}), 0, 4).Draw(t, "conditions")
	d.Status.Replicas = rapid.Int32().Draw(t, "status")
	d.Selector = rapid.SampledFrom([]*selector.LabelSelector{
		nil, {}, selector.FromLabels(map[string]string{"app": "web"}), {MatchExpressions: []selector.Expression{{Key: "app", Operator: "Exists"}}},
	}).Draw(t, "selector")
	if rapid.IntRange(0, 5).Draw(t, "roll back") == 0 {
		d.Annotations = map[string]string{revision.AnnotationRollback: rapid.SampledFrom([]string{"0", "1", "2", "9", "x"}).Draw(t, "to")}
	}
	for i := range s.ReplicaSets {
		tamper(t, &s.ReplicaSets[i])
	}
	s.Pods = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) podorder.Pod {
		return podorder.Pod{
			Phase:         rapid.SampledFrom([]podorder.Phase{"", podorder.Running, podorder.Failed}).Draw(t, "phase"),
			ControllerUID: rapid.SampledFrom([]string{"", "v1", "v2", "x"}).Draw(t, "owner"),
			UID:           rapid.SampledFrom([]string{"", "u1", "u2", "u;3"}).Draw(t, "uid"),
			Annotations: rapid.SampledFrom([]map[string]string{
				nil, {pausepoint.Annotation: "before"}, {pausepoint.Annotation: "after"},
			}).Draw(t, "point"),
		}
	}), 0, 5).Draw(t, "pods")
	if rapid.Bool().Draw(t, "settled") {
		d.Status = mustPlan(t, s).Status // so that nothing in it changes
	}
	return s
}

func tamper(t *rapid.T, rs *replicaset.ReplicaSet) {
	text := func(label string) string {
		return rapid.SampledFrom([]string{"", "0", "3", "10", "-1", "+2", "zz", "2147483647", "4294967299"}).Draw(t, label)
	}
	rs.Replicas = rapid.OneOf(rapid.Just[*int32](nil), rapid.Map(anySizes, ptr)).Draw(t, "size")
	rs.Annotations = map[string]string{
		revision.AnnotationRevision: text("revision"), revision.AnnotationDesired: text("desired"), revision.AnnotationMax: text("max"),
	}
	if rapid.IntRange(0, 4).Draw(t, "odd status") == 0 {
		rs.Status.Replicas, rs.Status.AvailableReplicas = rapid.Int32().Draw(t, "reported"), rapid.Int32().Draw(t, "available")
		rs.Status.TerminatingReplicas = nil
	}
	rs.Labels = rapid.SampledFrom([]map[string]string{nil, {"app": "web"}, {"app": "db"}}).Draw(t, "labels")
	rs.Generation = rapid.Int64Range(0, 3).Draw(t, "generation")
	rs.ControllerUID = rapid.SampledFrom([]string{"web-uid", "web-uid", "web-uid", "", "other"}).Draw(t, "owner")
	if rapid.Bool().Draw(t, "failing") {
		rs.Status.Conditions = []replicaset.Condition{{Type: "ReplicaFailure", Status: "True", Reason: "FailedCreate", LastTransitionTime: t0}}
	}
}

func ptr(n int32) *int32 { return &n }

func plan(s deploy.Snapshot) (deploy.Plan, error) { return deploy.Reconcile(s, t0, deploy.Options{}) }

// midway generates a moment of a rollout, whose new pods may never become
// available.
func midway(t *rapid.T) deploy.Snapshot {
	s := purity.Clone(truthful(t))
	broken := rapid.SampledFrom([]string{"", s.Deployment.Template.ID}).Draw(t, "broken")
	for range rapid.IntRange(1, 8).Draw(t, "passes") {
		p := mustPlan(t, s)
		s.Deployment.Status = p.Status
		for _, a := range p.Actions {
			if err := apply(&s, a); err != nil {
				t.Fatal(err)
			}
		}
		settle(&s, broken)
	}
	return s
}

func mustPlan(t *rapid.T, s deploy.Snapshot) deploy.Plan {
	p, err := plan(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func check(t *testing.T, property func(*rapid.T)) {
	t.Helper()
	rapid.Check(t, property)
}

func TestPropertyPure(t *testing.T) {
	check(t, func(t *rapid.T) { purity.Check(t, anything(t), plan, "ReplicaSets", "Pods") })
}

func FuzzReconcile(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) { purity.Check(t, anything(t), plan, "ReplicaSets", "Pods") }))
}

// wanted and available sum up a snapshot, where each ReplicaSet removes pods that
// are not available first.
func wanted(s deploy.Snapshot) (sum int64) {
	for _, rs := range s.ReplicaSets {
		sum += int64(*rs.Replicas)
	}
	return sum
}

func available(s deploy.Snapshot) (sum int64) {
	for _, rs := range s.ReplicaSets {
		sum += int64(min(*rs.Replicas, rs.Status.AvailableReplicas))
	}
	return sum
}

// TestPropertyBounds: after executing any prefix of Actions, the number of pods
// wanted is at most Budget.MaxTotal or has not increased, and the number of
// available pods is at least Budget.MinAvailable or has not decreased.
func TestPropertyBounds(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := purity.Clone(truthful(t))
		p := mustPlan(t, s)
		most := max(int64(p.Budget.Replicas)+int64(p.Budget.Surge), wanted(s))
		least := min(int64(p.Budget.MinAvailable()), available(s))
		for _, a := range p.Actions {
			if err := apply(&s, a); err != nil {
				t.Fatal(err)
			}
			if wanted(s) > most || available(s) < least {
				t.Fatalf("%v: %d wanted of at most %d, %d available of at least %d\n%v", a, wanted(s), most, available(s), least, p)
			}
		}
	})
}

// TestPropertyOnce: each ReplicaSet is scaled at most once in a plan, and never to
// the size that it has.
func TestPropertyOnce(t *testing.T) {
	check(t, func(t *rapid.T) {
		seen := map[string]bool{}
		for _, a := range mustPlan(t, anything(t)).Actions {
			if a, ok := a.(deploy.ScaleReplicaSet); ok {
				if seen[a.Name] || a.From == a.To {
					t.Fatalf("again or for nothing: %v", a)
				}
				seen[a.Name] = true
			}
		}
	})
}

// TestPropertyConvergence: if pods become available, a rollout ends within a number
// of passes that depends on its size, and a finished rollout plans nothing.
func TestPropertyConvergence(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := purity.Clone(truthful(t))
		replicas, passes := *s.Deployment.Replicas, 0
		bound := int(2*(int64(replicas)+wanted(s))) + 10
		for ; ; passes++ {
			p := mustPlan(t, s)
			stored := s.Deployment.Status
			s.Deployment.Status = p.Status
			if p.Empty() && cmp.Equal(stored, p.Status) && deploy.Complete(stored, replicas, s.Deployment.Generation) {
				break
			}
			if passes > bound {
				t.Fatalf("not complete after %d passes: %v", passes, p)
			}
			for _, a := range p.Actions {
				if err := apply(&s, a); err != nil {
					t.Fatal(err)
				}
			}
			settle(&s)
		}
		if p := mustPlan(t, s); !p.Empty() || len(p.Holds) > 0 && p.Holds[0].Reason != deploy.ReasonHistoryNotEmpty {
			t.Fatalf("finished, but: %v", p)
		}
		for _, rs := range s.ReplicaSets {
			if want := int32(0); rs.Template.Same(s.Deployment.Template) == (*rs.Replicas == want) && replicas > 0 {
				t.Fatalf("finished, but %s has %d pods", rs.Name, *rs.Replicas)
			}
		}
	})
}

// TestPropertyExplained: a rollout that is not complete and plans nothing has a
// hold.
func TestPropertyExplained(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.Custom(anything), rapid.Custom(midway)).Draw(t, "snapshot")
		p := mustPlan(t, s)
		replicas := p.Budget.Replicas
		if p.Empty() && len(p.Holds) == 0 && !deploy.Complete(p.Status, replicas, s.Deployment.Generation) {
			t.Fatalf("no action, no hold, and not complete: %v", p.Status)
		}
	})
}

// TestPropertyRecheck: if a plan has no actions, the plans for the same snapshot
// have none either until RecheckAt, and the status is the same but for times.
func TestPropertyRecheck(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := rapid.OneOf(rapid.Custom(anything), rapid.Custom(midway)).Draw(t, "snapshot")
		p := mustPlan(t, s)
		if !p.Empty() || p.RecheckAt.IsZero() || !p.RecheckAt.After(t0) {
			return
		}
		s.Deployment.Status = p.Status
		last := int64(p.RecheckAt.Sub(t0)) - 1
		between := t0.Add(time.Duration(rapid.OneOf(rapid.Just(last), rapid.Int64Range(0, last)).Draw(t, "later")))
		q, err := deploy.Reconcile(s, between, deploy.Options{})
		if err != nil || !q.Empty() {
			t.Fatalf("at %v, before %v: %v %v", between, p.RecheckAt, q, err)
		}
		if diff := cmp.Diff(p.Status, q.Status); diff != "" {
			t.Fatalf("at %v, before %v: %s", between, p.RecheckAt, diff)
		}
	})
}

// TestPropertyRecheckChanges: at RecheckAt the plan does change.
func TestPropertyRecheckChanges(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := midway(t)
		p := mustPlan(t, s)
		if p.RecheckAt.IsZero() || !p.Empty() {
			return
		}
		s.Deployment.Status = p.Status
		q, err := deploy.Reconcile(s, p.RecheckAt, deploy.Options{})
		if err != nil || cmp.Equal(p.Status, q.Status) {
			t.Fatalf("nothing new at %v: %v %v", p.RecheckAt, q, err)
		}
	})
}

// TestPropertyOthersLeftOut: pods of ReplicaSets that are another's, or of no ReplicaSet, can
// be left out of the snapshot.
func TestPropertyOthersLeftOut(t *testing.T) {
	for range 20 { // it takes several things at once
		check(t, func(t *rapid.T) {
			s := anything(t)
			d := &s.Deployment
			d.Strategy, d.Paused, d.DeletionTimestamp, d.Annotations = deploy.Recreate, false, time.Time{}, nil // old pods are looked at
			want := mustPlan(t, s)
			s.Pods = slices.DeleteFunc(slices.Clone(s.Pods), func(p podorder.Pod) bool {
				return !slices.ContainsFunc(s.ReplicaSets, func(rs replicaset.ReplicaSet) bool {
					return rs.UID == p.ControllerUID && (rs.ControllerUID == "" || rs.ControllerUID == s.Deployment.UID)
				})
			})
			if diff := cmp.Diff(want, mustPlan(t, s)); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestPropertyRoundTrip(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := anything(t)
		p := mustPlan(t, s)
		roundTrip(t, s)
		roundTrip(t, p)
	})
}

func roundTrip[V any](t *rapid.T, v V) {
	var back V
	text, err := json.Marshal(v)
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if diff := cmp.Diff(v, back, cmpopts.EquateEmpty()); err != nil || diff != "" {
		t.Fatalf("%v:\n%s\n%s", err, text, diff)
	}
}

// TestPropertyClockShift: moving now and all times by the same amount moves only
// the times of the plan.
func TestPropertyClockShift(t *testing.T) {
	check(t, func(t *rapid.T) {
		s := truthful(t)
		p := mustPlan(t, s)
		shift := time.Duration(rapid.Int64Range(-1e15, 1e15).Draw(t, "shift"))
		s = purity.Clone(s)
		for i := range s.ReplicaSets {
			s.ReplicaSets[i].CreationTimestamp = s.ReplicaSets[i].CreationTimestamp.Add(shift)
		}
		q, err := deploy.Reconcile(s, t0.Add(shift), deploy.Options{})
		if err != nil || p.String() != q.String() {
			t.Fatalf("%v\n%v\n%v", err, p, q)
		}
	})
}
