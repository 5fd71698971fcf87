package rollout

import (
	"crypto/sha256"

	"github.com/kplan-go/kplan/internal/union"
)

// controls reports whether a BatchRelease drives the workload already.
func controls(d Driver, br *BatchRelease, w *Workload) bool {
	if d == DriverDeployment {
		return w.UnderPartition()
	}
	return w.ControlledBy() == br.UID && w.Annotations[AnnotationControlInfo] != ""
}

// InitializePatch returns what takes a workload over before its first batch, and
// false if that is done, or no driver knows the workload.
func InitializePatch(br BatchRelease, w Workload, repair Quirks) (p WorkloadPatch, write bool) {
	d := br.ReleasePlan.driver(w.WorkloadRef)
	if d == "" || controls(d, &br, &w) {
		return p, false
	}
	running := false
	p.annotate(AnnotationControlInfo, ControlInfo(br.Name, br.UID))
	switch d {
	case DriverDeployment:
		takeDeployment(&p, &w, repair)
	case DriverCloneSet:
		p.Paused, p.Partition = &running, Percent(100)
	case DriverStatefulSet:
		p.StrategyPaused, p.Partition = &running, Int(HoldEverything)
	case DriverDaemonSet:
		p.StrategyPaused, p.Partition = &running, Int(w.replicas())
	case DriverNativeDaemonSet:
		onDelete := "OnDelete"
		p.StrategyType = &onDelete
	case DriverBlueGreenDeployment, DriverBlueGreenCloneSet:
		takeSurge(&p, d, &w)
	}
	return p, true
}

// takeDeployment pauses a Deployment and moves its limits to the annotation.
func takeDeployment(p *WorkloadPatch, w *Workload, repair Quirks) {
	old, _ := ParseStrategy(w.Annotations[AnnotationStrategy])
	strategy := DeploymentStrategy{RollingStyle: StylePartition, RollingUpdate: old.RollingUpdate, Partition: Int(0)}
	if w.RollingUpdate != nil {
		strategy.RollingUpdate = w.RollingUpdate
	}
	p.annotate(AnnotationStrategy, strategy.Default(repair.Has(UnsetLimitDefaultsBoth)).Text())
	if repair.Has(RecreateNotRestored) && w.StrategyType == "Recreate" && old.RollingUpdate == nil {
		p.annotate(AnnotationOriginalStrategy, recreated)
	}
	advanced, paused, recreate := "true", true, "Recreate"
	p.label(LabelAdvanced, &advanced)
	p.Paused, p.StrategyType = &paused, &recreate
}

// recreated marks a Deployment whose strategy was Recreate before ([RecreateNotRestored]).
const recreated = `{"type":"Recreate"}`

// takeSurge makes new pods stand beside old ones for ever.
func takeSurge(p *WorkloadPatch, d Driver, w *Workload) {
	original := ParseOriginal(w.Annotations[AnnotationOriginalStrategy])
	limits := w.limits()
	surge, unavailable := or(limits.MaxSurge, Percent(25)), or(limits.MaxUnavailable, Percent(25))
	if d == DriverBlueGreenCloneSet {
		surge, unavailable = or(limits.MaxSurge, Percent(0)), or(limits.MaxUnavailable, Percent(20))
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
	minReady, running := int32(InfiniteMinReady), false
	p.MinReadySeconds = &minReady
	p.MaxSurge, p.MaxUnavailable = Int(1), Int(0)
	if d == DriverBlueGreenCloneSet {
		p.Paused = &running
	} else {
		deadline, rolling := int32(600), "RollingUpdate"
		if w.ProgressDeadlineSeconds != nil {
			deadline = *w.ProgressDeadlineSeconds
		}
		if original.ProgressDeadlineSeconds == nil {
			original.ProgressDeadlineSeconds = &deadline
		}
		infinite := int32(InfiniteDeadline)
		p.ProgressDeadlineSeconds, p.StrategyType = &infinite, &rolling
	}
	p.annotate(AnnotationOriginalStrategy, union.Text(original))
}

// or returns v, or w if v is unset.
func or(v, w IntOrPercent) IntOrPercent {
	if v.IsZero() {
		return w
	}
	return v
}

// initialize appends what prepares the workload. The failure is not empty if the pass
// has to be repeated.
func (st *batchPass) initialize() (failure string) {
	w := st.s.Workload
	d := st.driver
	if d == DriverBlueGreenDeployment && !controls(d, &st.s.Release, w) && st.s.StableSet != "" {
		st.add(PatchReplicaSet{Name: st.s.StableSet, MinReadySeconds: InfiniteMinReady, Reason: ReasonInitialize})
	}
	if a := st.s.Autoscaler; d.blueGreen() && a != nil && a.TargetName == w.Name {
		st.add(RetargetAutoscaler{Name: a.Name, From: a.TargetName, To: a.TargetName + AutoscalerSuffix, Reason: ReasonInitialize})
	}
	if p, write := InitializePatch(st.s.Release, *w, st.opts.Repair); write {
		st.add(BatchPatchWorkload{Workload: w.WorkloadRef, UID: w.UID, Patch: p, Reason: ReasonInitialize})
	}
	if d == DriverCanary && st.s.Canary == nil {
		create := CreateCanary{
			GenerateName: w.Name + "-", Stable: w.Name, Labels: map[string]string{LabelCanaryDeployment: w.Name},
			Annotations:   map[string]string{AnnotationControlInfo: ControlInfo(st.s.Release.Name, st.s.Release.UID)},
			PatchTemplate: st.s.Release.ReleasePlan.PatchPodTemplateMetadata.Clone(), Reason: ReasonInitialize,
		}
		if st.opts.Repair.Has(CanaryCreatedTwice) {
			create.Name = canaryName(&st.s.Release, w)
		}
		st.add(create)
		return "created canary deployment, but waiting for it to be observed"
	}
	if _, rollback := st.s.Release.Annotations[AnnotationRollbackInBatch]; rollback && d.byPartition() {
		failure = st.markNoNeedUpdate()
	}
	if failure == "" {
		st.p.Status.StableRevision, st.p.Status.UpdateRevision = w.StableRevision, w.UpdateRevision
		st.p.Status.ObservedWorkloadReplicas = w.replicas()
	}
	return failure
}

// nameAlphabet has no vowels and no digits that look like them.
const nameAlphabet = "bcdfghjklmnpqrstvwxz2456789"

// canaryName returns the name of the canary Deployment of a template under a BatchRelease,
// so that it is created once ([CanaryCreatedTwice]). It has no more than the 63 characters of a generated
// name.
func canaryName(br *BatchRelease, w *Workload) string {
	digest := sha256.Sum256([]byte(br.UID + "/" + w.UpdateRevision))
	suffix := digest[:10]
	for i, b := range suffix {
		suffix[i] = nameAlphabet[int(b)%len(nameAlphabet)]
	}
	prefix := w.Name + "-"
	return prefix[:min(len(prefix), 63-len(suffix))] + string(suffix)
}
