// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"slices"

	"github.com/kplan-go/kplan/revision"
)

// UndoRevision plans kubectl rollout undo of a StatefulSet or DaemonSet with the given present
// data. It restores the first revision by [revision.CompareRevisions] with the requested
// number, or for request 0 the last but one. Callers apply the Data of Source as a strategic merge
// patch. A request that no revision meets is a [Refusal]. If SerialisationIsVersion is repaired,
// the data is compared in its normal form.
//
// It mirrors the rollback of StatefulSets and DaemonSets in kubectl 0.36.3, which does not define
// the order of revisions with equal numbers.
func UndoRevision(revisions []revision.ControllerRevision, data []byte, request int64, opts revision.Options) (Undo, error) {
	if request < 0 {
		return Undo{Source: -1}, &Refusal{Reason: RefusedNotFound, Number: request}
	}
	order := revisionOrder(revisions)
	at := len(order) - 2
	if request == 0 && at < 0 {
		return Undo{Source: -1}, &Refusal{Reason: RefusedNoLast}
	}
	if request > 0 {
		at = slices.IndexFunc(order, func(i int) bool { return revisions[i].Revision == request })
	}
	if at < 0 {
		return Undo{Source: -1}, &Refusal{Reason: RefusedNotFound, Number: request}
	}
	source := &revisions[order[at]]
	return Undo{
		Source: order[at], Requested: request, Number: source.Revision, Skipped: revision.SameData(source.Data, data, opts),
	}, nil
}
