// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/internal/base/union"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// nativeDaemonSet is a DaemonSet of Kubernetes: a helper deletes its pods, see [NativeBatch].
type nativeDaemonSet struct{ daemonSet }

func (nativeDaemonSet) take(p *workload.Patch, _ *workload.Workload, _ quirk.Set) {
	onDelete := "OnDelete"
	p.StrategyType = &onDelete
}

// upgrade lets the helper delete pods. Upstream keeps the
// revision of the template before, which no new pod has, if the partition is the same ([quirk.OtherTemplateReleased]).
func (nativeDaemonSet) upgrade(c *Context, w, _ *workload.Workload, repair quirk.Set) (p workload.Patch, write bool, refused kplan.Reason) {
	control := parseControl(w.Annotations[workload.AnnotationDaemonSetControl])
	other := repair.Has(quirk.OtherTemplateReleased) && w.UpdateRevision != "" && control.BatchRevision != w.UpdateRevision
	if control.Partition == c.DesiredPartition.String() && !other {
		return p, false, ""
	}
	p.Annotate(workload.AnnotationDaemonSetControl, union.Text(DaemonSetControl{Partition: c.DesiredPartition.String(), BatchRevision: w.UpdateRevision}))
	return p, true, ""
}

func (k nativeDaemonSet) giveBack(plan *ReleasePlan, w *workload.Workload, keep bool, _ Options) (workload.Patch, bool) {
	p, all := k.released(plan)
	if all {
		return p, true
	}
	p.RemoveAnnotations(workload.AnnotationDaemonSetRevision, workload.AnnotationDaemonSetControl, workload.AnnotationDaemonSetStrategy)
	if !keep {
		kind := w.Annotations[workload.AnnotationDaemonSetStrategy]
		if kind == "" {
			kind = "RollingUpdate"
		}
		p.StrategyType, p.ReplaceStrategy = &kind, true
	}
	return p, true
}
