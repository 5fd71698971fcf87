package batchrelease

import (
	"github.com/kplan-go/kplan/internal/union"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
)

// UpgradePatch returns what releases the batch of a context, and false if nothing has
// to be written. No partition is ever lowered, and no canary shrinks but under
// [workload.CanaryLabelsNotAwaited].
//
// A blue-green workload that is not prepared is refused: the reason says why, and is
// empty otherwise.
func (c Context) UpgradePatch(w workload.Workload, canary *workload.Workload, repair workload.Quirks) (p workload.Patch, write bool, refused Reason) {
	switch c.Driver {
	case workload.DriverDeployment:
		p, write = c.upgradeDeployment(&w, repair)
	case workload.DriverCloneSet, workload.DriverStatefulSet, workload.DriverDaemonSet:
		if c.CurrentPartition.OfUp64(c.Replicas) > c.DesiredPartition.OfUp64(c.Replicas) {
			p, write = workload.Patch{Partition: c.DesiredPartition}, true
		}
	case workload.DriverNativeDaemonSet:
		p, write = c.upgradeNative(&w, repair)
	case workload.DriverCanary:
		shrinks := repair.Has(workload.CanaryLabelsNotAwaited) && canary != nil && canary.DesiredReplicas() > c.Desired
		if shrinks || canary != nil && canary.DesiredReplicas() < c.Desired {
			p, write = workload.Patch{Replicas: &c.Desired}, true
		}
	case workload.DriverBlueGreenDeployment, workload.DriverBlueGreenCloneSet:
		return c.upgradeSurge(&w, repair)
	}
	return p, write, ""
}

func (c Context) upgradeDeployment(w *workload.Workload, repair workload.Quirks) (p workload.Patch, write bool) {
	if !w.UnderPartition() {
		return p, false
	}
	strategy, _ := partition.ParseStrategy(w.Annotations[partition.AnnotationStrategy])
	covered := partition.AtLeast(strategy.Partition, c.Batch)
	if repair.Has(workload.MixedPartitionsNeverEnd) && !strategy.Partition.SameKind(c.Batch) {
		covered = partition.Limit(strategy.Partition, c.Replicas) >= partition.Limit(c.Batch, c.Replicas)
	}
	if covered {
		return p, false
	}
	strategy.Partition = c.Batch
	p.Annotate(partition.AnnotationStrategy, strategy.Text())
	return p, true
}

// upgradeNative lets the helper of native DaemonSets delete pods. Upstream keeps the
// revision of the template before, which no new pod has, if the partition is the same ([workload.OtherTemplateReleased]).
func (c Context) upgradeNative(w *workload.Workload, repair workload.Quirks) (p workload.Patch, write bool) {
	control := parseControl(w.Annotations[workload.AnnotationDaemonSetControl])
	other := repair.Has(workload.OtherTemplateReleased) && w.UpdateRevision != "" && control.BatchRevision != w.UpdateRevision
	if control.Partition == c.DesiredPartition.String() && !other {
		return p, false
	}
	p.Annotate(workload.AnnotationDaemonSetControl, union.Text(DaemonSetControl{Partition: c.DesiredPartition.String(), BatchRevision: w.UpdateRevision}))
	return p, true
}

// upgradeSurge raises the surge of a blue-green workload. What admission has stopped goes
// on under [workload.OtherTemplateReleased] even if the surge is large enough.
func (c Context) upgradeSurge(w *workload.Workload, repair workload.Quirks) (p workload.Patch, write bool, refused Reason) {
	if reason := unprepared(c.Driver, w); reason != "" {
		return p, false, reason
	}
	if c.CurrentSurge.OfUp64(c.Replicas) >= c.DesiredSurge.OfUp64(c.Replicas) {
		return resumeSurge(c.Driver, w, repair)
	}
	if c.Driver == workload.DriverBlueGreenCloneSet {
		return workload.Patch{ClearPartition: true, MaxSurge: c.DesiredSurge}, true, ""
	}
	rolling, paused := "RollingUpdate", false
	return workload.Patch{Paused: &paused, StrategyType: &rolling, MaxSurge: c.DesiredSurge, MaxUnavailable: rollout.Int(0)}, true, ""
}

// resumeSurge lets a blue-green workload go on that admission has stopped for another
// template, which is taken back ([workload.OtherTemplateReleased]).
func resumeSurge(d workload.Driver, w *workload.Workload, repair workload.Quirks) (p workload.Patch, write bool, refused Reason) {
	running := false
	switch {
	case !repair.Has(workload.OtherTemplateReleased):
	case d == workload.DriverBlueGreenCloneSet && w.Partition.OfUp64(w.DesiredReplicas()) > 0:
		return workload.Patch{ClearPartition: true}, true, ""
	case d == workload.DriverBlueGreenDeployment && w.Paused:
		return workload.Patch{Paused: &running}, true, ""
	}
	return p, false, ""
}

// unprepared says why a workload cannot be updated by surge.
func unprepared(d workload.Driver, w *workload.Workload) Reason {
	switch {
	case w.Annotations[partition.AnnotationControlInfo] == "":
		return ReasonNoControlInfo
	case w.MinReadySeconds != workload.InfiniteMinReady:
		return ReasonMinReadySeconds
	case d == workload.DriverBlueGreenCloneSet:
		return ""
	case w.StrategyType != "RollingUpdate":
		return ReasonStrategyType
	case w.RollingUpdate == nil:
		return ReasonNoRollingUpdate
	case w.ProgressDeadlineSeconds == nil || *w.ProgressDeadlineSeconds != workload.InfiniteDeadline:
		return ReasonDeadlineSeconds
	}
	return ""
}
