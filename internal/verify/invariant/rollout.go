// SPDX-License-Identifier: Apache-2.0

package invariant

import (
	"time"

	deployquirk "github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	workloadquirk "github.com/kplan-go/kplan/rollout/workload/quirk"
)

// A Partitioning is the batches of a workload, and a function for the number of pods that a
// partition allows to be updated.
type Partitioning struct {
	Replicas int32
	Rescaled int32 // other replicas
	Batches  []rollout.IntOrPercent
	// Limit is the function under test; nil means the one of package rollout.
	Limit func(partition rollout.IntOrPercent, replicas int32) int32
}

func (c *Partitioning) limit(v rollout.IntOrPercent, replicas int32) int64 {
	if c.Limit != nil {
		return int64(c.Limit(v, replicas))
	}
	return int64(partition.Limit(v, replicas))
}

func isPercent(v rollout.IntOrPercent) bool {
	text := v.String()
	return text != "" && text[len(text)-1] == '%'
}

func batchesGrow(c *Partitioning) []string {
	l := list(nil)
	for i, v := range c.Batches {
		n := c.limit(v, c.Replicas)
		l.addIf(n < 0 || n > int64(c.Replicas), "%v of %d pods is %d", v.String(), c.Replicas, n)
		l.addIf(isAll(v, int64(c.Replicas)) && n != int64(c.Replicas), "%v of %d pods is %d", v.String(), c.Replicas, n)
		for _, w := range c.Batches[:i] {
			smaller := isPercent(v) == isPercent(w) && amount(w, 100, true) <= amount(v, 100, true)
			before := c.limit(w, c.Replicas)
			l.addIf(smaller && before > n && !isAll(w, int64(c.Replicas)), "%v of %d pods is %d, and %v is %d", w.String(), c.Replicas, before, v.String(), n)
		}
	}
	return l
}

func percentageLeavesAnOldPod(c *Partitioning) []string {
	l := list(nil)
	for _, v := range c.Batches {
		n := c.limit(v, c.Replicas)
		l.addIf(isPercent(v) && !isAll(v, int64(c.Replicas)) && c.Replicas > 1 && n >= int64(c.Replicas), "%v of %d pods is %d, and leaves none", v.String(), c.Replicas, n)
	}
	return l
}

func fractionAfterScaling(c *Partitioning) []string {
	l := list(nil)
	for _, v := range c.Batches {
		share := amount(v, 100, true)
		if !isPercent(v) || share > 100 || share < 0 {
			continue
		}
		for _, replicas := range []int32{c.Replicas, c.Rescaled} {
			n, exact := c.limit(v, replicas)*100, share*int64(replicas)
			l.addIf(n-exact >= 100 || exact-n >= 100, "%v of %d pods is %d, which is a pod or more away", v.String(), replicas, n/100)
		}
	}
	return l
}

// fractionAfterScalingPass checks partitioned Deployments that are scaled.
func fractionAfterScalingPass(p *DeploymentPass) []string {
	v := viewOf(p)
	part := p.Snapshot.Deployment.Partitioned
	if part == nil || !v.scales() || v.newest == nil || !p.Options.Repair.Has(deployquirk.ScaledBeyondPartition) && !p.Strict || v.saturated() || v.paused && !v.scaling {
		return nil
	}
	limit := max(0, min(amount(part.Partition, v.replicas, true), v.replicas))
	after := v.sizes(p.Plan.Actions)
	old := sum(after) - after[v.newest.Name]
	return one(after[v.newest.Name] > max(limit, sizeOf(v.newest)) && old > 0, "%s gets %d pods, and the partition %v is %d", v.newest.Name, after[v.newest.Name], part.Partition.String(), limit)
}

// A Release is the history of a progressive rollout of a Deployment.
type Release struct {
	Views   []ReleaseView
	Options kruise.Options
	// Fair is set if pods become available, pauses are approved, and the last view is long after
	// the last change of the desired state.
	Fair   bool
	Strict bool
}

// A ReleaseView is the state at one moment.
type ReleaseView struct {
	At       time.Time
	Rollout  kruise.Rollout
	Release  *batchrelease.Release
	Workload workload.Workload
	Traffic  traffic.Objects
	New, Old int32 // sizes of sets with the desired template, and of others
	// NewReady counts the ready pods of the desired template, Available all available pods.
	NewReady, Available int32
}

// corrected reports whether all quirks are repaired.
func (c *Release) corrected() bool {
	return c.Options.Repair == workloadquirk.All
}

// driven reports whether a BatchRelease controls the workload.
func (v *ReleaseView) driven() bool {
	return v.Release != nil && v.Workload.Annotations[partition.AnnotationControlInfo] != "" && v.Workload.Paused
}

func (v *ReleaseView) partition() partition.Strategy {
	s, err := partition.ParseStrategy(v.Workload.Annotations[partition.AnnotationStrategy])
	if err != nil {
		return partition.Strategy{}
	}
	return s
}

func (v *ReleaseView) canary() bool { return v.Rollout.BlueGreen == nil && v.Rollout.Canary != nil }

func batchesGrowRelease(c *Release) []string {
	l := list(nil)
	for i := 1; i < len(c.Views); i++ {
		a, b := &c.Views[i-1], &c.Views[i]
		same := a.driven() && b.driven() && a.Release.UID == b.Release.UID && a.Workload.Template.ID == b.Workload.Template.ID &&
			orOne(a.Workload.Replicas) == orOne(b.Workload.Replicas)
		if !same || !c.corrected() && !c.Strict {
			continue
		}
		n := orOne(a.Workload.Replicas)
		before, after := amount(a.partition().Partition, n, true), amount(b.partition().Partition, n, true)
		l.addIf(after < before, "view %d: the partition is lowered from %d to %d", i+1, before, after)
	}
	return l
}

func stepBounds(c *Release) []string {
	l := list(nil)
	for i := range c.Views {
		v := &c.Views[i]
		s := v.partition()
		if !v.driven() || !v.canary() || s.RollingUpdate == nil {
			continue
		}
		replicas := orOne(v.Workload.Replicas)
		surge, unavailable := amount(s.RollingUpdate.MaxSurge, replicas, true), amount(s.RollingUpdate.MaxUnavailable, replicas, false)
		if surge == 0 && unavailable == 0 {
			unavailable = 1
		}
		leak := int64(0)
		if surge == 0 && !c.Strict {
			leak = 1 // a new set begins with one pod (quirk.NewPodAtPartitionZero)
		}
		most, least := replicas+surge+leak, min(replicas, replicas-unavailable)
		if i > 0 {
			before := &c.Views[i-1]
			most, least = max(most, int64(before.New)+int64(before.Old)), min(least, int64(before.Available))
		}
		l.addIf(int64(v.New)+int64(v.Old) > most, "view %d: %d new and %d old pods, at most %d", i+1, v.New, v.Old, most)
		l.addIf(int64(v.Available) < least, "view %d: %d pods are available, at least %d", i+1, v.Available, least)
	}
	return l
}

// endsRelease checks that a fair release comes to rest.
func endsRelease(c *Release) []string {
	if !c.Fair || len(c.Views) < 2 || !c.corrected() && !c.Strict {
		return nil
	}
	a, b := c.Views[len(c.Views)-2], c.Views[len(c.Views)-1]
	a.At = b.At
	return one(encode(a) != encode(b), "the last views differ: phase %s, %d new and %d old pods", b.Rollout.Status.Phase, b.New, b.Old)
}

// abandonedRelease checks releases that return to the first template.
func abandonedRelease(c *Release) []string {
	if !c.Fair || len(c.Views) == 0 || !c.corrected() && !c.Strict {
		return nil
	}
	first, last := &c.Views[0], &c.Views[len(c.Views)-1]
	left := false
	for i := range c.Views {
		left = left || c.Views[i].Workload.Template.ID != first.Workload.Template.ID
	}
	if !left || last.Workload.Template.ID != first.Workload.Template.ID {
		return nil
	}
	l := list(nil)
	l.addIf(int64(last.New) != orOne(last.Workload.Replicas) || last.Old != 0, "in the end %d pods are of the stable template, and %d are not", last.New, last.Old)
	l.addIf(last.Workload.Paused, "in the end the workload is paused")
	return l
}

func endOfARelease(c *Release) []string {
	l := list(nil)
	if !c.Fair || !c.corrected() && !c.Strict {
		return nil
	}
	for i := 1; i < len(c.Views); i++ {
		a, b := &c.Views[i-1], &c.Views[i]
		ended := a.Rollout.Status.Phase == kruise.PhaseProgressing && b.Rollout.Status.Phase == kruise.PhaseHealthy
		l.addIf(ended && b.Release != nil, "view %d: the release is over, and there is a BatchRelease", i+1)
		l.addIf(ended && b.Workload.Paused, "view %d: the release is over, and the workload is paused", i+1)
		l.addIf(ended && (b.Old > 0 || int64(b.New) != orOne(b.Workload.Replicas)), "view %d: the release is over with %d new and %d old pods", i+1, b.New, b.Old)
	}
	if n := len(c.Views); n > 0 {
		last := &c.Views[n-1]
		updated := last.Old == 0 && int64(last.New) == orOne(last.Workload.Replicas) && last.Release == nil && !last.Workload.Paused
		l.addIf(updated && last.Rollout.Status.Phase == kruise.PhaseProgressing, "the workload is updated and given back, and the release is not over")
	}
	return l
}

// newTemplateRestartsRelease checks that a new revision begins with the first step.
func newTemplateRestartsRelease(c *Release) []string {
	l := list(nil)
	for i := 1; i < len(c.Views); i++ {
		a, b := c.Views[i-1].Rollout.Status.Sub, c.Views[i].Rollout.Status.Sub
		if b == nil || c.Views[i].Rollout.Status.Phase != kruise.PhaseProgressing {
			continue
		}
		back := b.Revision == b.StableRevision // a rollback ends the steps
		other := !back && (a == nil || a.Revision != b.Revision && a.Revision != "")
		l.addIf(other && b.CurrentStepIndex > 1 && c.Views[i-1].Rollout.Status.Phase == kruise.PhaseProgressing,
			"view %d: revision %q starts at step %d", i+1, b.Revision, b.CurrentStepIndex)
	}
	return l
}

// weightOf returns the percentage of the traffic that a route sends to the canary Service.
func weightOf(r *traffic.Route, canary string) (weight int64) {
	if r == nil {
		return 0
	}
	for _, rule := range r.Rules {
		for _, b := range rule.BackendRefs {
			if b.Name == canary && b.Weight != nil {
				weight = max(weight, int64(*b.Weight))
			}
		}
	}
	return weight
}

func trafficFollowsReadyPodsRelease(c *Release) []string {
	l := list(nil)
	for i := range c.Views {
		v := &c.Views[i]
		routings := routingsOf(&v.Rollout)
		if len(routings) == 0 || !v.canary() || !c.Fair || v.Rollout.Status.Sub == nil || v.Release == nil {
			continue
		}
		weight := weightOf(v.Traffic.Route, routings[0].Service+"-canary")
		index := int(v.Rollout.Status.Sub.CurrentStepIndex)
		steps := stepsOf(&v.Rollout)
		current := v.Rollout.Status.Sub.PodTemplateHash == v.Workload.Template.Hash
		if index < 1 || index > len(steps) || weight == 0 || weight > amount(steps[index-1].Traffic, 100, true) || !current {
			continue
		}
		replicas := orOne(v.Workload.Replicas)
		first := amount(steps[0].Replicas, replicas, true)
		l.addIf(int64(v.NewReady) < min(first, replicas, 1), "view %d: %d%% of the traffic, and %d ready pods", i+1, weight, v.NewReady)
		share := min(amount(rollout.Percent(int32(weight)), replicas, false), amount(steps[index-1].Replicas, replicas, true))
		upgraded := v.Rollout.Status.Sub.CurrentStepState != kruise.StateUpgrade && v.Rollout.Status.Sub.CurrentStepState != kruise.StateBeforeUpgrade
		l.addIf(upgraded && int64(v.NewReady) < share, "view %d: %d%% of the traffic, and %d of %d pods are new and ready", i+1, weight, v.NewReady, replicas)
	}
	return l
}
