// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"crypto/sha256"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// canary is a Deployment in the style Canary: an extra Deployment has the new pods.
type canary struct{ byPartition }

func (canary) pods(_, extra *workload.Workload) (updated, ready int32) {
	if extra == nil {
		return 0, 0
	}
	return extra.Status.Replicas, extra.Status.AvailableReplicas
}

func (canary) count(c *Context, _ *workload.Workload, repair quirk.Set) {
	c.Desired = partition.BatchSize(c.Batch, c.Replicas)
	if repair.Has(quirk.CanaryLabelsNotAwaited) {
		c.Planned = c.Desired
	}
}

func (canary) take(*workload.Patch, *workload.Workload, quirk.Set) {}

func (canary) create(s *Snapshot, repair quirk.Set) Action {
	if s.Canary != nil {
		return nil
	}
	w := s.Workload
	create := CreateCanary{
		GenerateName: w.Name + "-", Stable: w.Name, Labels: map[string]string{workload.LabelCanaryDeployment: w.Name},
		Annotations:   map[string]string{partition.AnnotationControlInfo: workload.ControlInfo(s.Release.Name, s.Release.UID)},
		PatchTemplate: s.Release.ReleasePlan.PatchPodTemplateMetadata.Clone(), Reason: reason.Initialize,
	}
	if repair.Has(quirk.CanaryCreatedTwice) {
		create.Name = canaryName(&s.Release, w)
	}
	return create
}

// nameAlphabet has the characters of generated names: without vowels and digits that look like
// vowels, names contain no words.
const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789"

// canaryName returns the name of the canary Deployment for a BatchRelease and a template. The name
// is always the same, so a second creation fails ([quirk.CanaryCreatedTwice]). It has at most 63
// characters, as a generated name.
func canaryName(br *Release, w *workload.Workload) string {
	digest := sha256.Sum256([]byte(br.UID + "/" + w.UpdateRevision))
	suffix := digest[:10]
	for i, b := range suffix {
		suffix[i] = nameAlphabet[int(b)%len(nameAlphabet)]
	}
	prefix := w.Name + "-"
	return prefix[:min(len(prefix), 63-len(suffix))] + string(suffix)
}

// held: before it is taken over, for later the extra Deployment keeps its template.
func (canary) held(preparing, _ bool) (kplan.Reason, bool) { return reason.ReleaseOutdated, preparing }

// returns: false, because the extra Deployment has its own template.
func (canary) returns() bool { return false }

func (canary) target(s *Snapshot) *workload.Workload { return s.Canary }

func (canary) unobserved(s *Snapshot) (kplan.Hold, string) {
	c := s.Canary
	if c == nil || c.Status.ObservedGeneration >= c.Generation {
		return kplan.Hold{}, ""
	}
	return kplan.Hold{Name: c.Name, Reason: reason.NotObserved, Have: c.Status.ObservedGeneration, Limit: c.Generation}, "canary deployment is not observed yet"
}

func (canary) upgrade(c *Context, _, extra *workload.Workload, repair quirk.Set) (p workload.Patch, write bool, refused kplan.Reason) {
	shrinks := repair.Has(quirk.CanaryLabelsNotAwaited) && extra != nil && extra.DesiredReplicas() > c.Desired
	if shrinks || extra != nil && extra.DesiredReplicas() < c.Desired {
		desired := c.Desired
		p, write = workload.Patch{Replicas: &desired}, true
	}
	return p, write, ""
}

func (canary) giveBack(plan *ReleasePlan, _ *workload.Workload, keep bool, opts Options) (p workload.Patch, write bool) {
	paused := plan.BatchPartition != nil || opts.Repair.Has(quirk.DeletionFinishesRelease) && keep
	p.RemoveAnnotations(partition.AnnotationControlInfo)
	if p.Paused = &paused; !paused && opts.Repair.Has(quirk.NextReleaseUnmarked) {
		p.Label(workload.LabelStableRevision, nil)
	}
	return p, true
}

func (canary) waits(plan *ReleasePlan, _ quirk.Set) bool {
	return plan.FinalizingPolicy == WaitResume
}

func (canary) resumed(w *workload.Workload, _ bool) (kplan.Hold, bool) {
	s := &w.Status
	switch {
	case w.Paused:
		return kplan.Hold{Name: w.Name, Reason: reason.NotResumed}, true
	case s.Replicas != s.UpdatedReplicas:
		return kplan.Hold{Name: w.Name, Reason: reason.NotPromoted, Have: int64(s.UpdatedReplicas), Limit: int64(s.Replicas)}, true
	}
	return unavailable(w)
}

// unavailable returns the hold for pods that must become available because the limits do not let
// them be unavailable.
func unavailable(w *workload.Workload) (kplan.Hold, bool) {
	available, replicas := w.Status.AvailableReplicas, w.DesiredReplicas()
	allowed := w.Limits().MaxUnavailable.Of(replicas)
	if int64(allowed)+int64(available) < int64(replicas) {
		return kplan.Hold{Name: w.Name, Reason: reason.NotAvailable, Have: int64(available), Limit: int64(replicas) - int64(allowed)}, true
	}
	return kplan.Hold{}, false
}

// end removes the finalizer of the extra Deployment.
func (canary) end(s *Snapshot) (_, canary Action) {
	c := s.Canary
	if c == nil {
		return nil, nil
	}
	return nil, SetFinalizer{Kind: "Deployment", Name: c.Name, UID: c.UID, Finalizer: workload.FinalizerCanaryDeployment, Remove: true, Reason: reason.GiveBack}
}
