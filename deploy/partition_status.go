package deploy

import (
	"fmt"
	"time"

	"github.com/kplan-go/kplan/rollout/partition"
)

// partitionRequeue is after how long upstream looks again at a partition that is not
// reached.
const partitionRequeue = 2 * time.Second

// reportPartition adds what is reported for a partitioned Deployment alone: the
// counts that the controller reads that moves the partition, and when to look again.
func (st *state) reportPartition() {
	if !st.partitioned() {
		return
	}
	st.recheckPartition()
	if st.aborted {
		return
	}
	extra := partition.ExtraStatus{ExpectedUpdatedReplicas: st.limit()}
	if s := st.newSet(); s != nil {
		extra.UpdatedReadyReplicas = s.status().ReadyReplicas
	}
	st.plan.ExtraStatus = &extra
	if text := extra.Text(); st.d.Annotations[partition.AnnotationExtraStatus] != text {
		st.act(AnnotateDeployment{Set: map[string]string{partition.AnnotationExtraStatus: text}, Reason: ReasonExtraStatus})
	}
	st.explainPartition()
}

// explainPartition says what the new set, held at its partition, still lacks.
func (st *state) explainPartition() {
	s := st.newSet()
	if s != nil && len(st.scaled) == 0 && len(st.plan.Holds) == 1 && st.plan.Holds[0].Reason == ReasonPartition {
		st.explainNew(s)
	}
}

// recheckPartition looks again soon while the partition is not reached according to
// the stored status, or if the pass has ended with an error.
func (st *state) recheckPartition() {
	_, waiting := partition.Progress{
		Generation: st.d.Generation, ObservedGeneration: st.d.Status.ObservedGeneration,
		Partition: st.d.Partitioned.Partition, Replicas: st.replicas,
		StatusReplicas: st.d.Status.Replicas, UpdatedReplicas: st.d.Status.UpdatedReplicas,
	}.Waiting()
	soon := st.now.Add(partitionRequeue)
	if at := st.plan.RecheckAt; (waiting || st.aborted) && (at.IsZero() || soon.Before(at)) {
		st.plan.RecheckAt = soon
	}
}

// scaleEvent returns what is recorded for a change of size: OpenKruise names the new
// size before the old one.
func (st *state) scaleEvent(a ScaleReplicaSet) string {
	if !st.partitioned() {
		return a.event()
	}
	return fmt.Sprintf("%s%s to %d from %d", a.verb(), a.Name, a.To, a.From)
}

// createEvent returns what is recorded for a new ReplicaSet, which OpenKruise leaves
// out if only the lower bound has given it a pod.
func (st *state) createEvent(name string, size int32) string {
	if st.partitioned() {
		return fmt.Sprintf("Scaled up replica set %s to %d", name, size)
	}
	return ScaleReplicaSet{Name: name, To: size}.event()
}
