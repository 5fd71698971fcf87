package rollout

import "github.com/kplan-go/kplan/internal/union"

// UpgradePatch returns what releases the batch of a context, and false if nothing has
// to be written. No partition is ever lowered, and no canary shrinks but under
// [CanaryLabelsNotAwaited].
//
// A blue-green workload that is not prepared is refused: the reason says why, and is
// empty otherwise.
func (c BatchContext) UpgradePatch(w Workload, canary *Workload, repair Quirks) (p WorkloadPatch, write bool, refused BatchReason) {
	switch c.Driver {
	case DriverDeployment:
		p, write = c.upgradeDeployment(&w, repair)
	case DriverCloneSet, DriverStatefulSet, DriverDaemonSet:
		if c.CurrentPartition.OfUp64(c.Replicas) > c.DesiredPartition.OfUp64(c.Replicas) {
			p, write = WorkloadPatch{Partition: c.DesiredPartition}, true
		}
	case DriverNativeDaemonSet:
		p, write = c.upgradeNative(&w, repair)
	case DriverCanary:
		shrinks := repair.Has(CanaryLabelsNotAwaited) && canary != nil && canary.replicas() > c.Desired
		if shrinks || canary != nil && canary.replicas() < c.Desired {
			p, write = WorkloadPatch{Replicas: &c.Desired}, true
		}
	case DriverBlueGreenDeployment, DriverBlueGreenCloneSet:
		return c.upgradeSurge(&w, repair)
	}
	return p, write, ""
}

func (c BatchContext) upgradeDeployment(w *Workload, repair Quirks) (p WorkloadPatch, write bool) {
	if !w.UnderPartition() {
		return p, false
	}
	strategy, _ := ParseStrategy(w.Annotations[AnnotationStrategy])
	covered := PartitionAtLeast(strategy.Partition, c.Batch)
	if repair.Has(MixedPartitionsNeverEnd) && !strategy.Partition.SameKind(c.Batch) {
		covered = PartitionLimit(strategy.Partition, c.Replicas) >= PartitionLimit(c.Batch, c.Replicas)
	}
	if covered {
		return p, false
	}
	strategy.Partition = c.Batch
	p.annotate(AnnotationStrategy, strategy.Text())
	return p, true
}

// upgradeNative lets the helper of native DaemonSets delete pods. Upstream keeps the
// revision of the template before, which no new pod has, if the partition is the same ([OtherTemplateReleased]).
func (c BatchContext) upgradeNative(w *Workload, repair Quirks) (p WorkloadPatch, write bool) {
	control := parseControl(w.Annotations[AnnotationDaemonSetControl])
	other := repair.Has(OtherTemplateReleased) && w.UpdateRevision != "" && control.BatchRevision != w.UpdateRevision
	if control.Partition == c.DesiredPartition.String() && !other {
		return p, false
	}
	p.annotate(AnnotationDaemonSetControl, union.Text(DaemonSetControl{Partition: c.DesiredPartition.String(), BatchRevision: w.UpdateRevision}))
	return p, true
}

// upgradeSurge raises the surge of a blue-green workload. What admission has stopped goes
// on under [OtherTemplateReleased] even if the surge is large enough.
func (c BatchContext) upgradeSurge(w *Workload, repair Quirks) (p WorkloadPatch, write bool, refused BatchReason) {
	if reason := unprepared(c.Driver, w); reason != "" {
		return p, false, reason
	}
	if c.CurrentSurge.OfUp64(c.Replicas) >= c.DesiredSurge.OfUp64(c.Replicas) {
		return resumeSurge(c.Driver, w, repair)
	}
	if c.Driver == DriverBlueGreenCloneSet {
		return WorkloadPatch{ClearPartition: true, MaxSurge: c.DesiredSurge}, true, ""
	}
	rolling, paused := "RollingUpdate", false
	return WorkloadPatch{Paused: &paused, StrategyType: &rolling, MaxSurge: c.DesiredSurge, MaxUnavailable: Int(0)}, true, ""
}

// resumeSurge lets a blue-green workload go on that admission has stopped for another
// template, which is taken back ([OtherTemplateReleased]).
func resumeSurge(d Driver, w *Workload, repair Quirks) (p WorkloadPatch, write bool, refused BatchReason) {
	running := false
	switch {
	case !repair.Has(OtherTemplateReleased):
	case d == DriverBlueGreenCloneSet && w.Partition.OfUp64(w.replicas()) > 0:
		return WorkloadPatch{ClearPartition: true}, true, ""
	case d == DriverBlueGreenDeployment && w.Paused:
		return WorkloadPatch{Paused: &running}, true, ""
	}
	return p, false, ""
}

// unprepared says why a workload cannot be updated by surge.
func unprepared(d Driver, w *Workload) BatchReason {
	switch {
	case w.Annotations[AnnotationControlInfo] == "":
		return ReasonNoControlInfo
	case w.MinReadySeconds != InfiniteMinReady:
		return ReasonMinReadySeconds
	case d == DriverBlueGreenCloneSet:
		return ""
	case w.StrategyType != "RollingUpdate":
		return ReasonStrategyType
	case w.RollingUpdate == nil:
		return ReasonNoRollingUpdate
	case w.ProgressDeadlineSeconds == nil || *w.ProgressDeadlineSeconds != InfiniteDeadline:
		return ReasonDeadlineSeconds
	}
	return ""
}
