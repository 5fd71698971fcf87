// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// cleanUpHistory returns the old ReplicaSets to delete: the lowest revisions beyond the
// history limit, if they are empty. It looks at the sizes before the plan.
//
// It mirrors cleanupDeployment of the deployment controller of Kubernetes.
func (in *input) cleanUpHistory() (remove []*replicaset.ReplicaSet, holds []kplan.Hold[Reason]) {
	if in.historyLimit == NoLimit || int64(len(in.sets)) <= int64(in.historyLimit) {
		return nil, nil
	}
	entries, sets := make([]revision.Entry, 0, len(in.sets)), make([]*set, 0, len(in.sets))
	for _, s := range in.old {
		entries, sets = append(entries, replicaset.Entry(s.rs)), append(sets, s)
	}
	opts := in.opts.Repair.revision()
	opts.Keys = in.opts.Keys
	excess, held := revision.CleanUp(entries, &in.historyLimit, opts)
	for _, h := range held {
		s := sets[h.Index]
		if h.Reason == revision.HoldNotSynced {
			holds = append(holds, hold(s.rs.Name, ReasonHistoryNotSynced, s.status().ObservedGeneration, s.rs.Generation))
		} else {
			holds = append(holds, hold(s.rs.Name, ReasonHistoryNotEmpty, int64(max(s.size, s.status().Replicas)), 0))
		}
	}
	for _, i := range excess {
		remove = append(remove, sets[i].rs)
	}
	return remove, holds
}
