// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/purity"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/kruise/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/preview"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// The limit of a partition grows with it, lies between none and all, and is
// all only for 100%, a number that large, or a single replica.
func TestPartitionLimitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.OneOf(rapid.Int32Range(0, 200), rapid.Int32Range(0, math.MaxInt32)).Draw(t, "replicas")
		p := rapid.OneOf(rapid.Int32Range(-3, 12), rapid.Int32Range(0, 250), rapid.Int32Range(0, math.MaxInt32-50)).Draw(t, "p")
		more := rapid.OneOf(rapid.Int32Range(0, 2), rapid.Int32Range(0, 50)).Draw(t, "more")
		for _, of := range []func(int32) rollout.IntOrPercent{rollout.Int, rollout.Percent} {
			v, w := of(p), of(p+more)
			limit := partition.Limit(v, replicas)
			if limit < 0 || limit > replicas {
				t.Fatalf("%v of %d is %d", v, replicas, limit)
			}
			if asked := int64(p) * int64(replicas); v == rollout.Percent(p) && p >= 0 && p <= 100 && (int64(limit)*100-asked >= 100 || asked-int64(limit)*100 >= 100) {
				t.Fatalf("%v of %d is %d, a pod or more away", v, replicas, limit) // after any rescale
			}
			if next := partition.Limit(w, replicas); next < limit && v != rollout.Percent(100) {
				t.Fatalf("%v of %d is %d, but %v is %d", v, replicas, limit, w, next)
			}
			if a, b := partition.BatchSize(v, replicas), partition.BatchSize(w, replicas); a < 0 || b > replicas || b < a || a < limit || a > limit+1 && p > 0 {
				t.Fatalf("batches of %v and %v of %d are %d and %d", v, w, replicas, a, b)
			}
			if !partition.AtLeast(w, v) {
				t.Fatalf("%v does not cover %v", w, v)
			}
			if limit == replicas && replicas > 1 && v != rollout.Percent(100) && v != rollout.Int(p) {
				t.Fatalf("%v of %d leaves no old pod", v, replicas)
			}
		}
	})
}

// Growing and shrinking stay within the limits of the rolling update.
func TestPreviewStaysWithinLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.Int32Range(0, 30).Draw(t, "replicas")
		limits := &partition.RollingUpdate{
			MaxSurge: rollout.Int(rapid.Int32Range(0, 4).Draw(t, "surge")), MaxUnavailable: rollout.Percent(rapid.Int32Range(0, 100).Draw(t, "unavailable")),
		}
		var steps []kruise.Step
		last := int32(1)
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			last = rapid.Int32Range(last, 100).Draw(t, "size")
			steps = append(steps, step(rollout.Percent(last), 0))
		}
		p, err := preview.Of(preview.Input{Rollout: partitioned(deployment, steps...), Replicas: replicas, Limits: limits}, kruise.Options{})
		require.NoError(t, err)
		b := partition.Budget(replicas, limits, false)
		labelled := int32(0)
		for i, s := range p.Steps {
			if s.PeakTotal > max(b.MaxTotal(), replicas) || s.MinAvailable < b.MinAvailable() {
				t.Fatalf("%v: %+v", b, s)
			}
			if s.Stuck != "" || s.End.New < partition.Limit(steps[i].Replicas, replicas) {
				t.Fatalf("step does not end: %+v", s)
			}
			labelled += s.Labelled
		}
		if labelled != partition.BatchSize(rollout.Percent(last), replicas) { // 19.2: increments sum to the last batch
			t.Fatalf("%d pods are labelled of %v of %d", labelled, last, replicas)
		}
	})
}

// A manual pause never ends by itself, a timed one exactly behind its
// instant, and the plan names the first one that is.
func TestPauseEndsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seconds := rapid.Int32Range(0, 1000).Draw(t, "seconds")
		s := begun(kruise.StatePaused, partitioned(deployment, step(rollout.Percent(50), seconds), step(rollout.Percent(100), 0)))
		due := s.Rollout.Status.Sub.LastUpdateTime.Add(time.Duration(seconds) * time.Second)
		at := func(s kruise.Snapshot, when time.Time) kruise.Plan {
			p, err := planRollout(s, when, kruise.Options{})
			require.NoError(t, err)
			return p
		}
		if p := at(s, due); p.Status.CurrentStepState != kruise.StatePaused || !p.RecheckAt.Equal(due.Add(1)) {
			t.Fatalf("at the instant: %v, recheck at %v, due %v", p.Status.CurrentStepState, p.RecheckAt, due)
		}
		if p := at(s, due.Add(1)); p.Status.CurrentStepState != kruise.StateReady {
			t.Fatalf("behind the instant: %v", p.Status.CurrentStepState)
		}
		manual := begun(kruise.StatePaused, twoSteps())
		later := now.Add(time.Duration(rapid.Int64Range(0, math.MaxInt32).Draw(t, "later")) * time.Second)
		if p := at(manual, later); p.Status.CurrentStepState != kruise.StatePaused || !p.RecheckAt.IsZero() || p.Holds[0].Reason != reason.Approval {
			t.Fatalf("nobody approved: %v", p)
		}
	})
}

// Whatever happens in between, a rollout whose
// pauses are approved ends, with all pods of the template that is wanted, nothing of
// ours left, and no partition lowered on the way.
func TestEveryRolloutEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		replicas := rapid.Int32Range(1, 12).Draw(t, "replicas")
		var steps []kruise.Step
		last := int32(1)
		traffic := rapid.Bool().Draw(t, "traffic")
		for range rapid.IntRange(1, 3).Draw(t, "steps") {
			last = rapid.Int32Range(last, 50).Draw(t, "size")
			s := step(rollout.Percent(last), rapid.Int32Range(-1, 3).Draw(t, "pause"))
			if traffic {
				s.Traffic = rollout.Percent(last)
			}
			steps = append(steps, s)
		}
		c := newWorld(t, replicas, append(steps, step(rollout.Percent(100), 0))...)
		if traffic {
			c.led(rapid.Int32Range(0, 3).Draw(t, "grace"))
		}
		c.opts.Repair = quirk.All
		c.begin()
		limit := int32(0)
		c.check = func() {
			s, _ := partition.ParseStrategy(c.w.Annotations[partition.AnnotationStrategy])
			if c.br == nil || c.w.Annotations[partition.AnnotationControlInfo] == "" {
				limit = 0
				return
			}
			now := partition.Limit(s.Partition, replicas)
			if now < limit {
				t.Fatalf("the partition is lowered from %d to %d", limit, now)
			}
			limit = now
		}
		state := rapid.SampledFrom([]kruise.StepState{kruise.StateUpgrade, kruise.StatePaused, kruise.StateReady}).Draw(t, "state")
		c.run(c.at(1, state), true)
		c.update(rapid.SampledFrom([]string{"v1", "v2", "v3"}).Draw(t, "template"))
		c.run(c.phase(kruise.PhaseHealthy), true)
		c.check = nil
		for range 5 {
			c.pass()
		}
		if c.r.Status.Phase != kruise.PhaseHealthy || c.total() != replicas || c.newPods() != replicas {
			t.Fatalf("%v, sizes %v, wanted %s: %v %v", c.r.Status.Phase, c.sizes, c.w.Template.ID, c.holds, c.log)
		}
		if c.br != nil || len(c.w.Annotations) > 0 || len(c.w.Labels) > 1 || c.w.Paused {
			t.Fatalf("left behind: %v %+v", c.br, c.w)
		}
		if traffic && (c.traffic.Canary != nil || c.weights() != "web=1 " || len(withoutEmpty(c.traffic.Stable.Selector)) != 1) {
			t.Fatalf("traffic left behind: %+v %s", c.traffic.Stable, c.weights())
		}
		if c.pass() {
			t.Fatalf("it never settles")
		}
	})
}

// The rollout pass is pure, total, and the same through JSON.
func TestReconcileIsPure(t *testing.T) {
	random.Check(t, func(t random.T) {
		o := random.RolloutOptions(t)
		p := purity.Check(t, anyRollout(t), func(s kruise.Snapshot) (kruise.Plan, error) { return planRollout(s, now, o) })
		purity.ThroughJSON(t, p)
		require.NotEmpty(t, p.String())
		requireLater(t, p.RecheckAt, now)
	})
}

// requireLater: an instant to look again at is behind the pass, or a caller with a clock
// that stands would call for ever.
func requireLater(t require.TestingT, recheckAt, now time.Time) {
	require.True(t, recheckAt.IsZero() || recheckAt.After(now), "looked at again at %v, planned at %v", recheckAt, now)
}

// The same for the batch pass. No partition is ever lowered.
func TestReconcileBatchIsPure(t *testing.T) {
	random.Check(t, func(t random.T) {
		s, o := anyBatch(t), random.BatchOptions(t)
		p := purity.Check(t, s, func(s batchrelease.Snapshot) (batchrelease.Plan, error) { return planBatch(s, now, o) })
		purity.ThroughJSON(t, p)
		require.NotEmpty(t, p.String())
		require.NotEmpty(t, p.Status.String())
		requireLater(t, p.RecheckAt, now)
	})
}

// Facts and admissions do not depend on the order of ReplicaSets.
func TestAdmitAndInspectArePure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := newWorld(t, 5)
		for _, name := range []string{"v1", "v2", "v3"} {
			c.sizes[name] = rapid.Int32Range(0, 3).Draw(t, name)
		}
		c.w.Template = template(rapid.SampledFrom([]string{"v1", "v2"}).Draw(t, "template"))
		updated := c.w
		updated.Template = template("v3")
		updated.RollingUpdate = &partition.RollingUpdate{}
		updated.Status.ObservedGeneration = updated.Generation
		if rapid.Bool().Draw(t, "in progress") {
			updated.Annotations = map[string]string{workload.AnnotationInProgress: "x", partition.AnnotationStrategy: `{"rollingStyle":"Partition"}`}
		}
		purity.Check(t, kruise.AdmitSnapshot{Old: c.w, New: updated, Rollouts: []kruise.Rollout{c.r}, Sets: c.owned()},
			func(s kruise.AdmitSnapshot) (kruise.Admission, error) { return planAdmission(s, kruise.Options{}) }, "Sets")
		s := workload.InspectSnapshot{Workload: updated, Sets: c.owned(), CanarySets: c.owned(), Style: rapid.SampledFrom([]workload.Style{workload.Partition, workload.Canary}).Draw(t, "style")}
		purity.Check(t, s, func(s workload.InspectSnapshot) (workload.State, error) { return workload.Inspect(s), nil }, "Sets", "CanarySets")
	})
}
