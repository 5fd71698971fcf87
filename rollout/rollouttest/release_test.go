// SPDX-License-Identifier: Apache-2.0

package rollouttest

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/internal/verify/properties"
	"github.com/kplan-go/kplan/internal/verify/random"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/plantest"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// view is a moment of a release of v2 with a surge of a pod.
func view(replicas, percent, fresh, old int32) View {
	first := random.Step(rollout.Percent(20), -1)
	first.Traffic = rollout.Percent(20)
	r := kruise.Rollout{Name: "web", UID: "r", WorkloadRef: random.Demo, Canary: &kruise.Strategy{
		Steps: []kruise.Step{first, random.Step(rollout.Percent(100), 0)}, TrafficRoutings: random.Routed(1),
	}}
	strategy := partition.Strategy{RollingStyle: partition.Style, Partition: rollout.Percent(percent), RollingUpdate: &partition.RollingUpdate{MaxSurge: rollout.Int(1), MaxUnavailable: rollout.Int(1)}}
	v := View{At: plantest.Now(), Rollout: random.Begun(plantest.Now(), kruise.StatePaused, r).Rollout, New: fresh, Old: old, NewReady: fresh, Available: fresh + old}
	v.Release = &batchrelease.Release{Name: "web", UID: "b"}
	v.Workload = workload.Workload{Ref: random.Demo, UID: "d", Replicas: &replicas, Paused: true,
		Annotations: map[string]string{partition.AnnotationControlInfo: "x", partition.AnnotationStrategy: strategy.Text()}}
	v.Workload.Template.ID, v.Workload.Template.Hash = "v2", "v2"
	return v
}

// over is the moment after a release.
func over(replicas int32) View {
	v := view(replicas, 100, replicas, 0)
	v.Release, v.Workload.Paused, v.Workload.Annotations = nil, false, nil
	v.Rollout.Status.Phase = kruise.PhaseHealthy
	return v
}

// told draws a release in batches that grow, and its end.
func told(s random.Source) Release {
	replicas := random.Between[int32](s, "replicas", 2, 20)
	release := Release{Fair: true, Options: kruise.Options{Repair: quirk.All}}
	percent := int32(0)
	for range random.Between(s, "batches", 1, 5) {
		percent = random.Between(s, "percent", percent, 100)
		fresh := partition.Limit(rollout.Percent(percent), replicas)
		release.Views = append(release.Views, view(replicas, percent, fresh, replicas-fresh))
	}
	release.Views = append(release.Views, over(replicas), over(replicas))
	return release
}

// A release that ends is clean.
func TestRelease(t *testing.T) {
	random.Check(t, func(t random.T) { CheckRelease(t, told(t)) })
}

func releasePlants() []properties.DecisionPlant {
	plant := func(name, bug string, change func(release *Release, v *View, n int32)) properties.DecisionPlant {
		return properties.DecisionPlant{Name: name, Bug: bug, Property: func(choice properties.Choice) func(*rapid.T) {
			return func(t *rapid.T) {
				release := told(random.Rapid(t))
				v := &release.Views[random.Below(random.Rapid(t), "view", len(release.Views)-2)]
				change(&release, v, *v.Workload.Replicas)
				release.Only = choice.Only
				CheckRelease(t, release)
			}
		}}
	}
	last := func(release *Release) *View { return &release.Views[len(release.Views)-1] }
	return []properties.DecisionPlant{
		plant("batches grow", "a partition is lowered", func(release *Release, v *View, n int32) {
			strategy := partition.Strategy{RollingStyle: partition.Style, Partition: rollout.Percent(0)}
			v.Workload.Annotations[partition.AnnotationStrategy] = strategy.Text()
		}),
		plant("step bounds", "the surge is taken twice", func(_ *Release, v *View, n int32) { v.New, v.Available = n-v.Old+2, n+2 }),
		plant("abandoned release", "an abandoned release leaves pods", func(release *Release, _ *View, n int32) {
			release.Views[0].Workload.Template.ID = "v1"
			end := last(release)
			end.Workload.Template.ID, end.New, end.Old = "v1", n-1, 1
		}),
		plant("new template restarts", "another template starts in the middle", func(release *Release, _ *View, n int32) {
			skipped := view(n, 20, 0, n)
			skipped.Rollout.Status.Sub.Revision, skipped.Rollout.Status.Sub.CurrentStepIndex = "v3", 2
			release.Views = append([]View{view(n, 0, 0, n), skipped}, release.Views...)
		}),
		plant("traffic follows ready pods", "traffic without a ready pod", func(_ *Release, v *View, _ int32) {
			weight := int32(20)
			v.NewReady, v.Traffic.Route = 0, &traffic.Route{Rules: []traffic.Rule{{BackendRefs: []traffic.BackendRef{{Kind: "Service", Name: "svc-canary", Weight: &weight}}}}}
		}),
		plant("end of a release", "it is over while the workload is paused", func(release *Release, _ *View, _ int32) {
			release.Views[len(release.Views)-2].Workload.Paused = true
		}),
		plant("convergence", "a pod comes and goes", func(release *Release, _ *View, _ int32) {
			last(release).New++
			last(release).At = plantest.Now().Add(time.Hour)
		}),
	}
}
