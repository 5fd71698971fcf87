// SPDX-License-Identifier: Apache-2.0

package subject

import (
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/view"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/workload"
)

// simulate returns the simulation of the rollout of a Deployment, from an old Deployment or from
// its current pods.
func (d Deployment) simulate(s *Settings, set *manifest.Set, from *Earlier) (*job, error) {
	w := d.Workload
	if slices.ContainsFunc(set.Rollouts, func(r manifest.Rollout) bool { return r.Releases(w) }) {
		return nil, nil
	}
	old := s.opened(w, from)
	partial, err := deploymentRolledOut(old)
	if err != nil {
		return nil, err
	}
	j, err := s.startOf(w, old)
	if err != nil {
		return nil, err
	}
	of := view.Deployments{Images: imagesOf(w, old)}
	j.telling = of
	var assumed []string
	var short []manifest.Shortage
	j.prepare = func(b *world.Beginning, config *sim.Config) error {
		renumber(b, old)
		assumed, short = s.environment(w, old, b)
		b.Broken(s.NeverReady)
		config.Autoscalers = append(config.Autoscalers, scaled(b.Name, w.Scaled())...)
		return nil
	}
	j.tell = func(b *world.Beginning, r *world.Run, result *view.Simulation) {
		result.Policies = s.departures()
		result.Assumed = slices.Concat(w.Bites(of.Bounds(result), b.Running(), short...), partial, assumed, s.lives(b, result))
		if old == nil {
			result.Caveats = deploymentImages(w, stillThere(w.Pods, r))
		}
	}
	return j, nil
}

// neverStarted reports whether a Deployment has been paused since its creation and so has no
// ReplicaSet.
func neverStarted(w *manifest.Workload) bool {
	d := w.Deployment
	return d.Spec.Paused && d.Status.Replicas == 0 && d.Annotations[revision.AnnotationRevision] == ""
}

// hasSets reports whether a Deployment controls a ReplicaSet or can adopt one.
func hasSets(w *manifest.Workload) bool {
	selector, err := metav1.LabelSelectorAsSelector(w.Deployment.Spec.Selector)
	return slices.ContainsFunc(w.ReplicaSets, func(rs *appsv1.ReplicaSet) bool {
		owner := metav1.GetControllerOfNoCopy(rs)
		return owner != nil && owner.UID == w.Deployment.UID || owner == nil && err == nil && selector.Matches(labels.Set(rs.Labels))
	})
}

// startOf returns the simulation at the start of the rollout.
func (s *Settings) startOf(w, old *manifest.Workload) (*job, error) {
	if old == nil {
		return deploymentJob(w, nil, s.Begin)
	}
	if err := sameSelector(old.Deployment.Spec.Selector, w.Deployment.Spec.Selector, old.File); err != nil {
		return nil, w.Invalid(err)
	}
	j, err := deploymentJob(old, w, s.Begin)
	if err != nil {
		return nil, err
	}
	begin, earlier := j.begin, !hasSets(old) && !neverStarted(old)
	j.begin = func(b *world.Beginning) error {
		b.Earlier = earlier
		return begin(b)
	}
	return j, nil
}

// scaled returns an autoscaler that sets the replicas of a Deployment, none if replicas is nil.
func scaled(name string, replicas *int32) []sim.Autoscaler {
	if replicas == nil {
		return nil
	}
	return []sim.Autoscaler{{Name: "horizontal pod autoscaler", Desired: func(sim.View) map[string]int32 { return map[string]int32{name: *replicas} }}}
}

// opened opens a Deployment and the Deployment that runs before it. It returns the latter, or
// nil.
func (s *Settings) opened(w *manifest.Workload, from *Earlier) *manifest.Workload {
	w.Open()
	if w.Deployment.Annotations[workload.AnnotationInProgress] != "" {
		s.Tell(fmt.Sprintf("%s: %s is released by a Rollout that is not in the input, and goes only as far as that has let it", w.File, w.Name()))
	}
	old := from.deployments[w.Key()]
	s.startsFromNothing(old == nil, w.File, w.Name())
	if old != nil {
		old.Open()
	}
	return old
}

// deploymentJob returns the simulation of an existing Deployment. The wanted Deployment, unless
// nil, is applied to it.
func deploymentJob(seen, wanted *manifest.Workload, now time.Time) (*job, error) {
	if now.IsZero() {
		now = latest(seen)
	}
	j := &job{of: seen, now: now, objects: []kube.Object{seen.Deployment}, around: seen.Around(seen.Deployment.Namespace), own: podsIn(seen)}
	for _, rs := range seen.ReplicaSets {
		j.objects = append(j.objects, rs)
	}
	for _, p := range seen.Pods {
		j.objects = append(j.objects, p)
	}
	if err := check(seen, now); err != nil {
		return nil, err
	}
	if wanted != nil {
		if err := check(wanted, now); err != nil {
			return nil, err
		}
		next := wanted.Deployment.DeepCopy()
		next.Namespace, next.Name, next.UID = seen.Deployment.Namespace, seen.Deployment.Name+world.Next, nextUID
		j.of, j.objects, j.around = wanted, append(j.objects, next), wanted.Around(seen.Deployment.Namespace)
	}
	j.begin = func(b *world.Beginning) error {
		b.BeginDeployment(seen.Deployment.Namespace, seen.Deployment.Name, wanted != nil)
		return nil
	}
	return j, nil
}
