// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"slices"
	"time"

	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// writeStatus writes a status against the version that the controller has seen and, after a conflict,
// once more against the live version. wrote, if it is not nil, gets the stored object after a write,
// even if the answer is lost on its way.
func writeStatus[T any](c *control.Controller, t *store.Table[T], r apiserver.Request, change, wrote func(*T)) apiserver.Answer {
	for range 2 {
		answer := c.Ask(func() apiserver.Answer {
			o, a := apiserver.Update(c.Server, t, r, change)
			if a == apiserver.Done && wrote != nil {
				wrote(o)
			}
			return a
		})
		live := t.Get(r.Name)
		if answer != apiserver.Conflict || live == nil {
			return answer
		}
		r.Version = *t.Meta(live).Version
	}
	return apiserver.Conflict
}

func sameDeploymentStatus(a, b *deploy.Status) bool {
	return a.ObservedGeneration == b.ObservedGeneration && a.Replicas == b.Replicas && a.UpdatedReplicas == b.UpdatedReplicas &&
		a.ReadyReplicas == b.ReadyReplicas && a.AvailableReplicas == b.AvailableReplicas &&
		a.UnavailableReplicas == b.UnavailableReplicas && ptr.Equal(a.TerminatingReplicas, b.TerminatingReplicas) &&
		ptr.Equal(a.CollisionCount, b.CollisionCount) && slices.Equal(a.Conditions, b.Conditions)
}

func sameBatchStatus(a, b *batchrelease.Status) bool {
	x, y := a.Current, b.Current
	x.NoNeedUpdateReplicas, y.NoNeedUpdateReplicas = nil, nil
	return a.Phase == b.Phase && a.Message == b.Message && a.StableRevision == b.StableRevision && a.UpdateRevision == b.UpdateRevision &&
		a.ObservedGeneration == b.ObservedGeneration && a.ObservedRolloutID == b.ObservedRolloutID &&
		a.ObservedWorkloadReplicas == b.ObservedWorkloadReplicas && a.ObservedReleasePlanHash == b.ObservedReleasePlanHash &&
		ptr.Equal(a.CollisionCount, b.CollisionCount) && x == y && ptr.Equal(a.Current.NoNeedUpdateReplicas, b.Current.NoNeedUpdateReplicas) &&
		slices.Equal(a.Conditions, b.Conditions)
}

// sameRolloutStatus reports whether writing the status would change nothing. The API server stores
// times in whole seconds, and so Sub.LastUpdateTime is compared by them. The times of conditions change
// only with the conditions.
func sameRolloutStatus(a, b *kruise.Status) bool {
	return a.ObservedGeneration == b.ObservedGeneration && a.Phase == b.Phase && a.Message == b.Message &&
		a.CurrentStepIndex == b.CurrentStepIndex && a.CurrentStepState == b.CurrentStepState && ptr.Equal(toTheSecond(a.Sub), toTheSecond(b.Sub)) &&
		slices.Equal(a.Conditions, b.Conditions)
}

func toTheSecond(s *kruise.StepStatus) *kruise.StepStatus {
	if s == nil {
		return nil
	}
	rounded := *s
	rounded.LastUpdateTime = s.LastUpdateTime.Truncate(time.Second)
	return &rounded
}
