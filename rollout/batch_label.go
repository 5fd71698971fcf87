package rollout

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// BatchIncrements returns how many pods each batch up to the current one adds, and 0
// for later ones. They may be negative where batches go backwards.
func BatchIncrements(batches []Batch, current, replicas int32) []int32 {
	increments := make([]int32, len(batches))
	for i := range batches {
		if i <= int(current) {
			increments[i] = BatchSize(batches[i].CanaryReplicas, replicas)
		}
	}
	for i := len(increments) - 1; i > 0; i-- {
		increments[i] -= increments[i-1]
	}
	return increments
}

// BatchLabels returns the labels that tell in which batch pods were updated, in the
// order in which they are to be written. The newest batch is filled first,
// with pods from the end of the list. Under [OrdinalsLabelledByList] the caller has put them
// in the order of their update.
func BatchLabels(br BatchRelease, replicas int32, updateRevision string, pods []Pod, repair Quirks) []LabelPod {
	id := br.ReleasePlan.RolloutID
	if id == "" || len(pods) == 0 {
		return nil
	}
	missing := BatchIncrements(br.ReleasePlan.Batches, br.Status.Current.CurrentBatch, replicas)
	var free []int
	var hashed []bool // by pod: its hash is to be written
	for i := range pods {
		p := &pods[i]
		if !p.DeletionTimestamp.IsZero() {
			continue
		}
		hash := p.Labels[LabelControllerRevision]
		if hash == "" && p.TemplateHash != "" {
			hash = p.TemplateHash
			if hashed == nil {
				hashed = make([]bool, len(pods))
			}
			hashed[i] = true
		}
		if !MatchesHash(updateRevision, hash, repair) && !MatchesHash(updateRevision, p.Labels[LabelPodTemplateHash], repair) {
			continue
		}
		if batch := batchOf(p, id, len(missing)); batch > 0 {
			missing[batch-1]--
		} else {
			free = append(free, i)
		}
	}
	return assign(id, missing, pods, free, hashed)
}

// batchOf returns the batch that the labels of a pod name, from 1, or 0 if that is none
// of this rollout.
func batchOf(p *Pod, id string, batches int) int {
	if p.Labels[LabelRolloutID] != id {
		return 0
	}
	batch, err := strconv.Atoi(p.Labels[LabelBatchID])
	if err != nil || batch < 1 || batch > batches {
		return 0
	}
	return batch
}

// assign gives free pods to the batches that lack some, the last batch and the last
// pod first.
func assign(id string, missing []int32, pods []Pod, free []int, hashed []bool) []LabelPod {
	var labels []LabelPod
	add := func(i int, set map[string]string) {
		labels = append(labels, LabelPod{Name: pods[i].Name, UID: pods[i].UID, Labels: set, Reason: ReasonBatchLabel})
	}
	for batch := len(missing) - 1; batch >= 0; batch-- {
		for ; missing[batch] > 0; missing[batch]-- {
			if len(free) == 0 {
				return labels
			}
			i := free[len(free)-1]
			free = free[:len(free)-1]
			set := map[string]string{LabelRolloutID: id, LabelBatchID: strconv.Itoa(batch + 1)}
			if hashed != nil && hashed[i] {
				set[LabelControllerRevision] = pods[i].TemplateHash
				hashed[i] = false
			}
			add(i, set)
		}
	}
	for i, rest := range hashed {
		if rest {
			add(i, map[string]string{LabelControllerRevision: pods[i].TemplateHash})
		}
	}
	return labels
}

// A RollbackFilter chooses which pods are offered to [BatchLabels] while rolling back
// in batches.
type RollbackFilter struct {
	Ordered        bool   `json:"ordered,omitzero"`
	RolloutID      string `json:"rolloutID"`
	UpdateRevision string `json:"updateRevision"`
	Planned        int32  `json:"planned"`
	Desired        int32  `json:"desired"`
	Partition      int32  `json:"partition"`
	Replicas       int32  `json:"replicas"`

	Repair Quirks `json:"repair,omitzero"` // only [HashSuffixMatches] matters
}

// Pods returns the pods that are offered, in their order.
func (f RollbackFilter) Pods(pods []Pod) []Pod {
	if f.Ordered {
		pods = byOrdinal(pods)
	}
	var high, low, terminating []Pod
	for i := range pods {
		p := &pods[i]
		switch {
		case !p.DeletionTimestamp.IsZero():
			terminating = append(terminating, *p)
		case !p.consistent(f.UpdateRevision, f.Repair):
		case f.isLow(p):
			low = append(low, *p)
		default:
			high = append(high, *p)
		}
	}
	need := int64(f.Desired) - int64(len(low))
	if f.Ordered {
		need = int64(f.Replicas) - int64(f.Partition)
	}
	if need <= 0 {
		return pods
	}
	more := max(0, min(int64(f.Planned)-need, int64(len(low))))
	return slices.Concat(high, low[:more], terminating)
}

// isLow reports whether a pod was not updated by this release, or not yet.
func (f RollbackFilter) isLow(p *Pod) bool {
	if f.Ordered {
		return ordinal(p.Name) < int64(f.Partition)
	}
	return p.Labels[LabelNoNeedUpdate] == f.RolloutID && p.Labels[LabelRolloutID] != f.RolloutID
}

// byOrdinal returns the pods in the order in which a StatefulSet updates them: the
// highest ordinal first.
func byOrdinal(pods []Pod) []Pod {
	pods = slices.Clone(pods)
	slices.SortStableFunc(pods, func(a, b Pod) int { return cmp.Compare(ordinal(b.Name), ordinal(a.Name)) })
	return pods
}

// ordinal returns the number behind the last hyphen of a name, or -1.
func ordinal(name string) int64 {
	n, err := strconv.ParseInt(name[strings.LastIndexByte(name, '-')+1:], 10, 32)
	if err != nil {
		return -1
	}
	return n
}

// labelPods appends the labels of the current batch.
func (st *batchPass) labelPods(c *BatchContext) {
	w, pods, repair := st.s.Workload, st.s.Pods, st.opts.Repair
	if repair.Has(OrdinalsLabelledByList) && c.ordered(w) {
		pods = byOrdinal(pods)
	}
	revision := st.p.Status.UpdateRevision
	if canary := st.s.Canary; repair.Has(CanaryLabelsNotAwaited) && canary != nil && canary.UpdateRevision != "" {
		revision = canary.UpdateRevision // its pods have a template of their own
	}
	if c.NoNeedUpdate != nil {
		pods = RollbackFilter{
			Ordered: c.ordered(w), RolloutID: c.RolloutID, UpdateRevision: st.p.Status.UpdateRevision, Planned: c.Planned,
			Desired: c.Desired, Partition: c.DesiredPartition.OfUp(c.Replicas), Replicas: c.Replicas, Repair: repair,
		}.Pods(pods)
	}
	for _, a := range BatchLabels(st.s.Release, w.replicas(), revision, pods, repair) {
		st.add(a)
	}
}

// markNoNeedUpdate tells pods apart that have the template of a rollback already.
func (st *batchPass) markNoNeedUpdate() (failure string) {
	w, id := st.s.Workload, st.s.Release.ReleasePlan.RolloutID
	if st.s.Release.Annotations[AnnotationRollbackInBatch] == "" {
		return ""
	}
	if id == "" {
		n := w.Status.UpdatedReplicas
		st.p.Status.Current.NoNeedUpdateReplicas = &n
		return ""
	}
	marked, patched := int32(0), false
	for i := range st.s.Pods {
		p := &st.s.Pods[i]
		if !p.DeletionTimestamp.IsZero() || !p.consistent(w.UpdateRevision, st.opts.Repair) {
			continue
		}
		if p.Labels[LabelNoNeedUpdate] == id {
			marked++
			continue
		}
		patched = true
		st.add(LabelPod{Name: p.Name, UID: p.UID, Labels: map[string]string{LabelNoNeedUpdate: id}, Reason: ReasonNoNeedUpdate})
	}
	if patched {
		return "initilization not yet: pods are being marked"
	}
	st.p.Status.Current.NoNeedUpdateReplicas = &marked
	return ""
}
