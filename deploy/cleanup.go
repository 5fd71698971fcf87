package deploy

import (
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// cleanUpHistory deletes the old ReplicaSets with the lowest revisions beyond the
// history limit, as far as they are empty. It looks at the sizes before
// the plan.
//
// It mirrors cleanupDeployment of the deployment controller of Kubernetes 1.36.3.
func (st *state) cleanUpHistory() {
	if st.historyLimit == NoLimit || int64(len(st.sets)) <= int64(st.historyLimit) {
		return
	}
	entries, sets := make([]revision.Entry, 0, len(st.sets)), make([]*set, 0, len(st.sets))
	for _, s := range st.old {
		entries, sets = append(entries, replicaset.Entry(s.rs)), append(sets, s)
	}
	remove, held := revision.CleanUp(entries, &st.historyLimit, st.opts.Repair.revision())
	for _, h := range held {
		s := sets[h.Index]
		if h.Reason == revision.HoldNotSynced {
			st.hold64(s.rs.Name, ReasonHistoryNotSynced, s.status().ObservedGeneration, s.rs.Generation)
		} else {
			st.hold(s.rs.Name, ReasonHistoryNotEmpty, max(s.from, s.status().Replicas), 0)
		}
	}
	for _, i := range remove {
		rs := sets[i].rs
		number, _ := revision.Number(rs.Annotations)
		st.trailing = append(st.trailing, DeleteReplicaSet{
			Name: rs.Name, UID: rs.UID, ResourceVersion: rs.ResourceVersion, Revision: number, Reason: ReasonHistoryLimit,
		})
	}
}
