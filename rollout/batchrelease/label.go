// SPDX-License-Identifier: Apache-2.0

package batchrelease

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/rollout/batchrelease/reason"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/workload"
	"github.com/kplan-go/kplan/rollout/workload/quirk"
)

// Increments returns how many pods each batch up to the current one adds, and nothing
// above 0 for later ones. They may be negative where batches go backwards.
func Increments(batches []Batch, current, replicas int32) []int32 {
	increments := make([]int32, len(batches))
	for i := range batches {
		if i <= int(current) {
			increments[i] = partition.BatchSize(batches[i].CanaryReplicas, replicas)
		}
	}
	for i := len(increments) - 1; i > 0; i-- {
		increments[i] -= increments[i-1]
	}
	return increments
}

// Labels returns the labels with the batch in which pods were updated, in the
// order in which they are to be written. The newest batch is filled first,
// with pods from the end of the list. Under [quirk.OrdinalsLabelledByList] the caller has put them
// in the order of their update.
func Labels(br Release, replicas int32, updateRevision string, pods []workload.Pod, repair quirk.Set) []LabelPod {
	if br.ReleasePlan.RolloutID == "" || len(pods) == 0 {
		return nil
	}
	return newLabelling(&br, replicas, updateRevision, repair).labels(pods)
}

// A labelling is which labels the pods of a release are to have.
type labelling struct {
	id       string
	missing  []int32 // how many pods each batch lacks
	revision string  // of the pods that are updated
	repair   quirk.Set
}

func newLabelling(br *Release, replicas int32, revision string, repair quirk.Set) *labelling {
	missing := Increments(br.ReleasePlan.Batches, br.Status.Current.CurrentBatch, replicas)
	return &labelling{br.ReleasePlan.RolloutID, missing, revision, repair}
}

// labels returns the labels of pods, which fill the batches.
func (l *labelling) labels(pods []workload.Pod) []LabelPod {
	var free []int
	var hashed []bool // by pod: its hash is to be written
	for i := range pods {
		batch, isFree, isHashed := l.look(&pods[i])
		if isHashed {
			if hashed == nil {
				hashed = make([]bool, len(pods))
			}
			hashed[i] = true
		}
		if batch > 0 {
			l.missing[batch-1]--
		}
		if isFree {
			free = append(free, i)
		}
	}
	return assign(l.id, l.missing, pods, free, hashed)
}

// look returns the batch of a pod, 0 if it has none, whether it may be given to one, and whether
// its hash is to be written.
func (l *labelling) look(p *workload.Pod) (batch int, free, hashed bool) {
	if !p.DeletionTimestamp.IsZero() {
		return 0, false, false
	}
	hash := p.Labels[workload.LabelControllerRevision]
	if hash == "" && p.TemplateHash != "" {
		hash, hashed = p.TemplateHash, true
	}
	if !workload.MatchesHash(l.revision, hash, l.repair) && !workload.MatchesHash(l.revision, p.Labels[workload.LabelPodTemplateHash], l.repair) {
		return 0, false, hashed
	}
	batch = of(p, l.id, len(l.missing))
	return batch, batch == 0, hashed
}

// of returns the batch that the labels of a pod name, from 1, or 0 if that is none
// of this rollout.
func of(p *workload.Pod, id string, batches int) int {
	if p.Labels[workload.LabelRolloutID] != id {
		return 0
	}
	batch, err := strconv.Atoi(p.Labels[workload.LabelBatchID])
	if err != nil || batch < 1 || batch > batches {
		return 0
	}
	return batch
}

// assign gives free pods to the batches that lack some, the last batch and the last
// pod first.
func assign(id string, missing []int32, pods []workload.Pod, free []int, hashed []bool) []LabelPod {
	var labels []LabelPod
	add := func(i int, set map[string]string) {
		if labels == nil { // most pods get one, if any does
			labels = make([]LabelPod, 0, len(free)+1)
		}
		labels = append(labels, LabelPod{Name: pods[i].Name, UID: pods[i].UID, Labels: set, Reason: reason.BatchLabel})
	}
	for batch := len(missing) - 1; batch >= 0; batch-- {
		for ; missing[batch] > 0; missing[batch]-- {
			if len(free) == 0 {
				return labels
			}
			i := free[len(free)-1]
			free = free[:len(free)-1]
			set := map[string]string{workload.LabelRolloutID: id, workload.LabelBatchID: strconv.Itoa(batch + 1)}
			if hashed != nil && hashed[i] {
				set[workload.LabelControllerRevision] = pods[i].TemplateHash
				hashed[i] = false
			}
			add(i, set)
		}
	}
	for i, rest := range hashed {
		if rest {
			add(i, map[string]string{workload.LabelControllerRevision: pods[i].TemplateHash})
		}
	}
	return labels
}

// A RollbackFilter chooses which pods are offered to [Labels] while rolling back
// in batches.
type RollbackFilter struct {
	Ordered        bool   `json:"ordered,omitzero"`
	RolloutID      string `json:"rolloutID"`
	UpdateRevision string `json:"updateRevision"`
	Planned        int32  `json:"planned"`
	Desired        int32  `json:"desired"`
	Partition      int32  `json:"partition"`
	Replicas       int32  `json:"replicas"`

	Repair quirk.Set `json:"repair,omitzero"` // only [quirk.HashSuffixMatches] matters
}

// Pods returns the pods that are offered, in their order.
func (f RollbackFilter) Pods(pods []workload.Pod) []workload.Pod {
	if f.Ordered {
		pods = byOrdinal(pods)
	}
	var high, low, terminating []workload.Pod
	for i := range pods {
		p := &pods[i]
		switch {
		case !p.DeletionTimestamp.IsZero():
			terminating = append(terminating, *p)
		case !p.OfRevision(f.UpdateRevision, f.Repair):
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
func (f RollbackFilter) isLow(p *workload.Pod) bool {
	if f.Ordered {
		return ordinal(p.Name) < int64(f.Partition)
	}
	return p.Labels[workload.LabelNoNeedUpdate] == f.RolloutID && p.Labels[workload.LabelRolloutID] != f.RolloutID
}

// byOrdinal returns the pods in the order in which a StatefulSet updates them: the
// highest ordinal first.
func byOrdinal(pods []workload.Pod) []workload.Pod {
	pods = slices.Clone(pods)
	slices.SortStableFunc(pods, func(a, b workload.Pod) int { return cmp.Compare(ordinal(b.Name), ordinal(a.Name)) })
	return pods
}

// ordinal returns the number after the last hyphen of a name, or -1.
func ordinal(name string) int64 {
	n, err := strconv.ParseInt(name[strings.LastIndexByte(name, '-')+1:], 10, 32)
	if err != nil {
		return -1
	}
	return n
}

// labels returns the labels of the current batch.
func (st *pass) labels(update string, c *Context) []LabelPod {
	w, repair := st.s.Workload, st.opts.Repair
	revision := update
	if canary := st.s.Canary; repair.Has(quirk.CanaryLabelsNotAwaited) && canary != nil && canary.UpdateRevision != "" {
		revision = canary.UpdateRevision // its pods have a template of their own
	}
	byOrder := repair.Has(quirk.OrdinalsLabelledByList) && st.kind.ordered(w)
	pods := st.s.Pods
	if byOrder {
		pods = byOrdinal(pods)
	}
	if c.NoNeedUpdate != nil {
		pods = RollbackFilter{
			Ordered: st.kind.ordered(w), RolloutID: c.RolloutID, UpdateRevision: update, Planned: c.Planned,
			Desired: c.Desired, Partition: c.DesiredPartition.OfUp(c.Replicas), Replicas: c.Replicas, Repair: repair,
		}.Pods(pods)
	}
	return Labels(st.s.Release, w.DesiredReplicas(), revision, pods, repair)
}

// marks tells pods apart that have the template of a rollback already: how many are marked
// as such, and the marks of the others. Without a rollout id nothing is marked, and the
// workload has their number.
func (st *pass) marks() (marked int32, missing []LabelPod) {
	w, id := st.s.Workload, st.s.Release.ReleasePlan.RolloutID
	if id == "" {
		return w.Status.UpdatedReplicas, nil
	}
	pods := st.s.Pods
	for i := range pods {
		p := &pods[i]
		if !p.DeletionTimestamp.IsZero() || !p.OfRevision(w.UpdateRevision, st.opts.Repair) {
			continue
		}
		if p.Labels[workload.LabelNoNeedUpdate] == id {
			marked++
			continue
		}
		missing = append(missing, LabelPod{Name: p.Name, UID: p.UID, Labels: map[string]string{workload.LabelNoNeedUpdate: id}, Reason: reason.NoNeedUpdate})
	}
	return marked, missing
}
