// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"github.com/kplan-go/kplan/internal/podset"
	"github.com/kplan-go/kplan/internal/ptr"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// NewSets returns a world with a CloneSet, or a StatefulSet of Kubernetes or OpenKruise, that
// is updated by a Rollout. A person does what that of [NewRollouts] does.
func NewSets(seed uint64, faults Faults) *World {
	w := newWorld(seed, faults)
	w.ref = []workload.Ref{
		{APIVersion: "apps.kruise.io/v1alpha1", Kind: "CloneSet", Name: "web"}, {APIVersion: "apps/v1", Kind: "StatefulSet", Name: "web"},
		{APIVersion: "apps.kruise.io/v1beta1", Kind: "StatefulSet", Name: "web"},
	}[w.random.IntN(3)]
	w.fair = true
	w.addSetController()
	create(w, &w.store.sets, by(User), &Set{Set: w.someSet()})
	w.settleAll()
	return w.releaseAndDisturb(workload.Partition)
}

// someSet returns a set of the kind of the world.
func (w *World) someSet() podset.Set {
	some := func(n int) bool { return w.random.IntN(n) == 0 }
	s := podset.Set{TemplateLabels: appWeb, Parallel: some(2), Workload: workload.Workload{
		Ref: w.ref, Generation: 1, Replicas: ptr.To(w.random.Int32N(7) + 1), Template: revision.Template{ID: "a"},
		RollingUpdate: &partition.RollingUpdate{},
	}}
	if some(3) {
		s.MinReadySeconds = w.random.Int32N(6)
	}
	if s.GroupKind() == podset.StatefulSet {
		return s
	}
	s.InPlace = some(3)
	if s.RollingUpdate.MaxUnavailable = rollout.Int(w.random.Int32N(3) + 1); some(2) {
		s.RollingUpdate.MaxUnavailable = rollout.Percent(w.random.Int32N(5)*10 + 10)
	}
	if s.GroupKind() == podset.AdvancedStatefulSet {
		s.Unordered = some(3)
	} else if some(2) {
		s.RollingUpdate.MaxSurge = rollout.Int(w.random.Int32N(3) + 1)
	}
	return s
}
