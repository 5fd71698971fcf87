// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/examples/kplan/internal/manifest"
	"github.com/kplan-go/kplan/examples/kplan/internal/world"
	"github.com/kplan-go/kplan/kube"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
	"github.com/kplan-go/kplan/rollout/sim"
)

// beginningOfArgo returns the cluster in which the simulation of a Rollout of Argo begins: the Rollout, its
// objects, and the objects around it. A newer Rollout, if given, is applied. A zero time means the latest time
// in the objects.
func beginningOfArgo(seen, wanted *manifest.ArgoRollout, now time.Time) (b world.Beginning, err error) {
	if now.IsZero() {
		now = latestOfArgo(seen)
	}
	last, rollouts := seen, []*kubeargo.RolloutObject{seen.Object}
	if wanted != nil {
		next := *wanted.Object
		next.Name, next.UID = wanted.Object.Name+"/"+wantedUID, wantedUID
		last, rollouts = wanted, append(rollouts, &next)
	}
	if b.Snapshot, err = kubeargo.World(now, rollouts, aroundArgo(seen, last)); err != nil {
		return b, seen.Invalid(err)
	}
	b.Kind, b.Namespace, b.Name = sim.KindArgoRollout, seen.Object.Namespace, b.ArgoRollouts[0].Name
	if wanted != nil {
		next, old := b.ArgoRollouts[1], &b.ArgoRollouts[0]
		next.Name, next.UID, next.Revision = old.Name, old.UID, old.Revision
		if kubeargo.TemplateHash(&seen.Object.Spec.Template, nil) == kubeargo.TemplateHash(&wanted.Object.Spec.Template, nil) {
			next.TemplateHash = old.TemplateHash // which may be that of another release
		}
		b.ArgoRollouts, b.Applied = b.ArgoRollouts[:1], []any{next}
	}
	b.Template, b.NodesOfPods = b.WantedArgo().TemplateHash, len(last.Workload.Nodes) == 0
	return b, nil
}

// aroundArgo returns what belongs to a Rollout that is there, and what there is around the last version of
// it.
func aroundArgo(seen, last *manifest.ArgoRollout) (list []kube.Object) {
	own := map[types.UID]bool{}
	for _, rs := range seen.ReplicaSets {
		list = append(list, rs)
	}
	for _, p := range seen.Pods {
		own[p.UID] = true
		list = append(list, p)
	}
	there := map[string]bool{}
	for _, s := range slices.Concat(seen.Services, last.Services) {
		if !there[s.Name] {
			list = append(list, s)
		}
		there[s.Name] = true
	}
	return append(list, last.Workload.Around(own)...)
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
