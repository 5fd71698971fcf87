package batchrelease

import (
	"crypto/sha256"

	"github.com/kplan-go/kplan/internal/union"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// controls reports whether a BatchRelease drives the workload already.
func controls(d workload.Driver, br *Release, w *workload.Workload) bool {
	if d == workload.DriverDeployment {
		return w.UnderPartition()
	}
	return w.ControlledBy() == br.UID && w.Annotations[partition.AnnotationControlInfo] != ""
}

// InitializePatch returns what takes a workload over before its first batch, and
// false if that is done, or no driver knows the workload.
func InitializePatch(br Release, w workload.Workload, repair workload.Quirks) (p workload.Patch, write bool) {
	d := br.ReleasePlan.driver(w.Ref)
	if d == "" || controls(d, &br, &w) {
		return p, false
	}
	running := false
	p.Annotate(partition.AnnotationControlInfo, workload.ControlInfo(br.Name, br.UID))
	switch d {
	case workload.DriverDeployment:
		takeDeployment(&p, &w, repair)
	case workload.DriverCloneSet:
		p.Paused, p.Partition = &running, rollout.Percent(100)
	case workload.DriverStatefulSet:
		p.StrategyPaused, p.Partition = &running, rollout.Int(workload.HoldEverything)
	case workload.DriverDaemonSet:
		p.StrategyPaused, p.Partition = &running, rollout.Int(w.DesiredReplicas())
	case workload.DriverNativeDaemonSet:
		onDelete := "OnDelete"
		p.StrategyType = &onDelete
	case workload.DriverBlueGreenDeployment, workload.DriverBlueGreenCloneSet:
		takeSurge(&p, d, &w)
	}
	return p, true
}

// takeDeployment pauses a Deployment and moves its limits to the annotation.
func takeDeployment(p *workload.Patch, w *workload.Workload, repair workload.Quirks) {
	old, _ := partition.ParseStrategy(w.Annotations[partition.AnnotationStrategy])
	strategy := partition.Strategy{RollingStyle: partition.Style, RollingUpdate: old.RollingUpdate, Partition: rollout.Int(0)}
	if w.RollingUpdate != nil {
		strategy.RollingUpdate = w.RollingUpdate
	}
	p.Annotate(partition.AnnotationStrategy, strategy.Default(repair.Has(workload.UnsetLimitDefaultsBoth)).Text())
	if repair.Has(workload.RecreateNotRestored) && w.StrategyType == "Recreate" && old.RollingUpdate == nil {
		p.Annotate(workload.AnnotationOriginalStrategy, recreated)
	}
	advanced, paused, recreate := "true", true, "Recreate"
	p.Label(workload.LabelAdvanced, &advanced)
	p.Paused, p.StrategyType = &paused, &recreate
}

// recreated marks a Deployment whose strategy was Recreate before ([workload.RecreateNotRestored]).
const recreated = `{"type":"Recreate"}`

// takeSurge makes new pods stand beside old ones for ever.
func takeSurge(p *workload.Patch, d workload.Driver, w *workload.Workload) {
	original := workload.ParseOriginal(w.Annotations[workload.AnnotationOriginalStrategy])
	limits := w.Limits()
	surge, unavailable := or(limits.MaxSurge, rollout.Percent(25)), or(limits.MaxUnavailable, rollout.Percent(25))
	if d == workload.DriverBlueGreenCloneSet {
		surge, unavailable = or(limits.MaxSurge, rollout.Percent(0)), or(limits.MaxUnavailable, rollout.Percent(20))
	}
	if original.MaxSurge == nil {
		original.MaxSurge = &surge
	}
	if original.MaxUnavailable == nil {
		original.MaxUnavailable = &unavailable
	}
	if original.MinReadySeconds == 0 {
		original.MinReadySeconds = w.MinReadySeconds
	}
	minReady, running := int32(workload.InfiniteMinReady), false
	p.MinReadySeconds = &minReady
	p.MaxSurge, p.MaxUnavailable = rollout.Int(1), rollout.Int(0)
	if d == workload.DriverBlueGreenCloneSet {
		p.Paused = &running
	} else {
		deadline, rolling := int32(600), "RollingUpdate"
		if w.ProgressDeadlineSeconds != nil {
			deadline = *w.ProgressDeadlineSeconds
		}
		if original.ProgressDeadlineSeconds == nil {
			original.ProgressDeadlineSeconds = &deadline
		}
		infinite := int32(workload.InfiniteDeadline)
		p.ProgressDeadlineSeconds, p.StrategyType = &infinite, &rolling
	}
	p.Annotate(workload.AnnotationOriginalStrategy, union.Text(original))
}

// or returns v, or w if v is unset.
func or(v, w rollout.IntOrPercent) rollout.IntOrPercent {
	if v.IsZero() {
		return w
	}
	return v
}

// initialize appends what prepares the workload. The failure is not empty if the pass
// has to be repeated.
func (st *pass) initialize() (failure string) {
	w := st.s.Workload
	d := st.driver
	if d == workload.DriverBlueGreenDeployment && !controls(d, &st.s.Release, w) && st.s.StableSet != "" {
		st.add(PatchReplicaSet{Name: st.s.StableSet, MinReadySeconds: workload.InfiniteMinReady, Reason: ReasonInitialize})
	}
	if a := st.s.Autoscaler; d.BlueGreen() && a != nil && a.TargetName == w.Name {
		st.add(RetargetAutoscaler{Name: a.Name, From: a.TargetName, To: a.TargetName + AutoscalerSuffix, Reason: ReasonInitialize})
	}
	if p, write := InitializePatch(st.s.Release, *w, st.opts.Repair); write {
		st.add(PatchWorkload{Workload: w.Ref, UID: w.UID, Patch: p, Reason: ReasonInitialize})
	}
	if d == workload.DriverCanary && st.s.Canary == nil {
		create := CreateCanary{
			GenerateName: w.Name + "-", Stable: w.Name, Labels: map[string]string{workload.LabelCanaryDeployment: w.Name},
			Annotations:   map[string]string{partition.AnnotationControlInfo: workload.ControlInfo(st.s.Release.Name, st.s.Release.UID)},
			PatchTemplate: st.s.Release.ReleasePlan.PatchPodTemplateMetadata.Clone(), Reason: ReasonInitialize,
		}
		if st.opts.Repair.Has(workload.CanaryCreatedTwice) {
			create.Name = canaryName(&st.s.Release, w)
		}
		st.add(create)
		return "created canary deployment, but waiting for it to be observed"
	}
	if _, rollback := st.s.Release.Annotations[workload.AnnotationRollbackInBatch]; rollback && d.ByPartition() {
		failure = st.markNoNeedUpdate()
	}
	if failure == "" {
		st.p.Status.StableRevision, st.p.Status.UpdateRevision = w.StableRevision, w.UpdateRevision
		st.p.Status.ObservedWorkloadReplicas = w.DesiredReplicas()
	}
	return failure
}

// nameAlphabet has no vowels and no digits that look like them.
const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789"

// canaryName returns the name of the canary Deployment of a template under a BatchRelease,
// so that it is created once ([workload.CanaryCreatedTwice]). It has no more than the 63 characters of a generated
// name.
func canaryName(br *Release, w *workload.Workload) string {
	digest := sha256.Sum256([]byte(br.UID + "/" + w.UpdateRevision))
	suffix := digest[:10]
	for i, b := range suffix {
		suffix[i] = nameAlphabet[int(b)%len(nameAlphabet)]
	}
	prefix := w.Name + "-"
	return prefix[:min(len(prefix), 63-len(suffix))] + string(suffix)
}
