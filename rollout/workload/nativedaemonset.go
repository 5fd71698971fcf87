// SPDX-License-Identifier: Apache-2.0

package workload

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// nativeDaemonSet is a DaemonSet of Kubernetes.
type nativeDaemonSet struct{}

func (nativeDaemonSet) driver(style Style) Driver { return unless(style, DriverNativeDaemonSet) }

func (nativeDaemonSet) inspect(f *State, s *InspectSnapshot) {
	f.RevisionLabelKey = LabelControllerRevision
	sorted := slices.Clone(s.Revisions)
	slices.SortFunc(sorted, func(a, b DaemonSetRevision) int {
		return cmp.Or(cmp.Compare(b.Revision, a.Revision), cmp.Compare(a.Hash, b.Hash))
	})
	if len(sorted) == 0 {
		return
	}
	f.CanaryRevision, f.StableRevision, f.PodTemplateHash = sorted[0].Hash, sorted[0].Hash, sorted[0].Hash
	if len(sorted) > 1 {
		f.StableRevision = sorted[1].Hash
	}
	f.InRollback = f.InProgress && f.StableRevision == f.CanaryRevision && len(sorted) > 1
}

// holdBack saves the type of the strategy and sets OnDelete, so that only deleted pods are
// updated.
func (nativeDaemonSet) holdBack(w *Workload, repair quirk.Set) {
	saved := w.StrategyType
	if before := w.Annotations[AnnotationDaemonSetStrategy]; repair.Has(quirk.DeletingPodsListed) && before != "" {
		saved = before
	}
	if w.Annotations == nil {
		w.Annotations = map[string]string{}
	}
	w.Annotations[AnnotationDaemonSetStrategy] = saved
	w.StrategyType = "OnDelete"
}

func (nativeDaemonSet) traits() Traits { return Traits{SizedByNodes: true, AnyStrategy: true} }

func (nativeDaemonSet) body(p *Patch, spec map[string]any) { p.strategy(spec, "updateStrategy") }

// patch: this kind has neither a partition nor a pause.
func (nativeDaemonSet) patch(p *Patch, w *Workload) { p.roll(w) }
