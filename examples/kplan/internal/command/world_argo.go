// SPDX-License-Identifier: Apache-2.0

package command

import (
	"cmp"
	"slices"
	"time"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// argoJob returns the simulation of an existing Argo Rollout. The wanted Rollout, unless nil, is
// applied to it.
func argoJob(seen, wanted *manifest.ArgoRollout, now time.Time) *job {
	if now.IsZero() {
		now = later(latestOfArgo(seen), latestOfArgo(cmp.Or(wanted, seen)))
	}
	j := &job{of: seen, now: now, rollouts: []*kubeargo.RolloutObject{seen.Object}, around: seen.Workload.Around(seen.Object.Namespace)}
	last := seen
	if wanted != nil {
		next := *wanted.Object
		next.Namespace, next.Name, next.UID = seen.Object.Namespace, seen.Object.Name+world.Next, nextUID+" Rollout"
		last, j.of, j.rollouts, j.around = wanted, wanted, append(j.rollouts, &next), wanted.Workload.Around(seen.Object.Namespace)
	}
	for _, rs := range seen.ReplicaSets {
		j.objects = append(j.objects, rs)
	}
	for _, p := range seen.Pods {
		j.objects = append(j.objects, p)
	}
	for _, s := range slices.Concat(seen.Services, last.Services) {
		j.objects = append(j.objects, s)
	}
	j.begin = func(b *world.Beginning) error {
		b.BeginArgo(seen.Object.Namespace, seen.Object.Name, wanted != nil, func(old *cluster.ArgoRollout) string {
			if kubeargo.TemplateHash(&seen.Object.Spec.Template, nil) == kubeargo.TemplateHash(&wanted.Object.Spec.Template, nil) {
				return old.TemplateHash // another release of Argo Rollouts may have hashed it
			}
			return ""
		})
		b.Earlier = wanted != nil && len(seen.ReplicaSets) == 0
		return nil
	}
	return j
}

// latestOfArgo returns the latest time in the objects of a Rollout.
func latestOfArgo(r *manifest.ArgoRollout) time.Time {
	last := latestOf(time.Time{}, r.Pods)
	for _, c := range r.Object.Status.Conditions {
		last = later(later(last, c.LastUpdateTime.Time), c.LastTransitionTime.Time)
	}
	for _, c := range r.Object.Status.PauseConditions {
		last = later(last, c.StartTime.Time)
	}
	last = later(last, r.Snapshot.Rollout.RestartAt)
	for _, rs := range r.ReplicaSets {
		last = later(last, rs.CreationTimestamp.Time)
	}
	return last.UTC()
}
