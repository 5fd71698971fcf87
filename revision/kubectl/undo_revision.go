// SPDX-License-Identifier: Apache-2.0

package kubectl

import (
	"slices"

	"github.com/kplan-go/kplan/revision"
)

// UndoRevision plans kubectl rollout undo of a StatefulSet or DaemonSet with the present
// data: restore the revision with the requested number, or for 0 the second last. Callers
// apply the data of Source as a strategic merge patch. The errors are a [Refusal].
//
// It mirrors the rollback of StatefulSets and DaemonSets in kubectl 0.36.3, which takes
// equal numbers in any order; here they are in the order of [revision.CompareRevisions],
// and the first is used. If SerialisationIsVersion is repaired, the data is compared in its
// normal form.
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
