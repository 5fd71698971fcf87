// SPDX-License-Identifier: Apache-2.0

package record

import (
	"fmt"
	"slices"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/deploy"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
)

// acts reports whether a plan has actions. The plan of a CloneSet or StatefulSet does not show it.
func acts(p fmt.Stringer) bool {
	switch p := p.(type) {
	case deploy.Plan:
		return len(p.Actions) > 0
	case replicaset.Plan:
		return len(p.Actions) > 0
	case daemonset.Plan:
		return len(p.Actions) > 0
	case kruise.Plan:
		return len(p.Actions) > 0
	case batchrelease.Plan:
		return len(p.Actions) > 0
	case argo.Plan:
		return len(p.Actions) > 0
	}
	return false
}

// same reports whether a plan has as many writes as the plan before it, and the same holds.
func same(before, now fmt.Stringer) bool {
	switch now := now.(type) {
	case deploy.Plan:
		b, ok := before.(deploy.Plan)
		return ok && alike(b.Actions, now.Actions, b.Holds, now.Holds)
	case replicaset.Plan:
		b, ok := before.(replicaset.Plan)
		return ok && alike(b.Actions, now.Actions, b.Holds, now.Holds)
	case daemonset.Plan:
		b, ok := before.(daemonset.Plan)
		return ok && alike(b.Actions, now.Actions, b.Holds, now.Holds)
	case kruise.Plan:
		b, ok := before.(kruise.Plan)
		return ok && alike(b.Actions, now.Actions, b.Holds, now.Holds)
	case batchrelease.Plan:
		b, ok := before.(batchrelease.Plan)
		return ok && alike(b.Actions, now.Actions, b.Holds, now.Holds)
	case argo.Plan:
		b, ok := before.(argo.Plan)
		return ok && alike(b.Actions, now.Actions, b.Holds, now.Holds)
	}
	return false
}

func alike[A any](before, now []A, held, holds []kplan.Hold) bool {
	return len(before) == len(now) && slices.Equal(held, holds)
}
