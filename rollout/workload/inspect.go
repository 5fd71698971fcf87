package workload

import (
	"cmp"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/internal/zero"
)

// An InspectSnapshot is everything that [Inspect] looks at.
type InspectSnapshot struct {
	Workload Workload `json:"workload"`
	Style    Style    `json:"style"`
	// Sets are the ReplicaSets that a Deployment controls, in any order.
	Sets []Set `json:"sets,omitempty"`
	// CanarySets are the ReplicaSets of the newest canary Deployment, in any order.
	CanarySets []Set `json:"canarySets,omitempty"`
	// Revisions are the ControllerRevisions of a native DaemonSet, in any order.
	Revisions []DaemonSetRevision `json:"revisions,omitempty"`
}

// A DaemonSetRevision is a ControllerRevision of a DaemonSet.
type DaemonSetRevision struct {
	Revision int64  `json:"revision"`
	Hash     string `json:"hash"` // its label controller-revision-hash
}

// Inspect derives what the rollout pass needs to know about a workload. The
// workload's StableRevision and UpdateRevision are the currentRevision and
// updateRevision of its status; those of a Deployment are not read, but its template's
// hash is. Of a kind that is not known nothing is: the facts are not consistent.
func Inspect(s InspectSnapshot) State {
	w := &s.Workload
	f := State{Ref: w.Ref, UID: w.UID}
	if w.Generation != w.Status.ObservedGeneration || !w.Ref.Known() {
		return f
	}
	f.Consistent, f.Generation, f.Replicas = true, w.Generation, w.DesiredReplicas()
	f.Labels, f.Annotations = copyText(w.Labels), copyText(w.Annotations)
	_, f.InProgress = w.Annotations[AnnotationInProgress]
	f.ProgressDeadlineSeconds = zero.Copy(deadlineOf(w))
	f.RevisionLabelKey = LabelPodTemplateHash
	behind := w.Status.UpdatedReplicas != f.Replicas
	switch w.GroupKind() {
	case kindDeployment:
		f.deployment(&s)
		return f
	case kindCloneSet:
		f.StableRevision, f.CanaryRevision = LastPart(w.StableRevision), LastPart(w.UpdateRevision)
		f.InRollback = w.StableRevision == w.UpdateRevision && behind
	case kindAdvancedDaemonSet:
		f.CanaryRevision = LastPart(w.UpdateRevision)
	case kindDaemonSet:
		f.RevisionLabelKey = LabelControllerRevision
		f.daemonSet(s.Revisions)
	case kindStatefulSet, kindAdvancedStatefulSet:
		f.RevisionLabelKey = LabelControllerRevision
		f.StableRevision, f.CanaryRevision = w.StableRevision, w.UpdateRevision
		f.InRollback = w.StableRevision == w.UpdateRevision && behind
	}
	f.PodTemplateHash = f.CanaryRevision
	return f
}

// deadlineOf returns the progress deadline of a workload, or what it was before a
// blue-green release made it infinite.
func deadlineOf(w *Workload) *int32 {
	if text := w.Annotations[AnnotationOriginalStrategy]; text != "" {
		if o := ParseOriginal(text); o.ProgressDeadlineSeconds != nil {
			return o.ProgressDeadlineSeconds
		}
	}
	return w.ProgressDeadlineSeconds
}

func copyText(m map[string]string) map[string]string {
	if len(m) == 0 {
		return nil
	}
	c := make(map[string]string, len(m))
	for key, value := range m {
		c[key] = value
	}
	return c
}

// LastPart returns what stands behind the last hyphen.
func LastPart(s string) string { return s[strings.LastIndexByte(s, '-')+1:] }

// byAge returns the ReplicaSets that have pods, the oldest first.
func byAge(sets []Set) []*Set {
	var list []*Set
	for i := range sets {
		if sets[i].MayHavePods() {
			list = append(list, &sets[i])
		}
	}
	slices.SortFunc(list, func(a, b *Set) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp), cmp.Compare(a.Name, b.Name))
	})
	return list
}

func (f *State) deployment(s *InspectSnapshot) {
	w, sets := &s.Workload, byAge(s.Sets)
	f.CanaryRevision = w.Template.Hash
	if s.Style == Canary {
		if len(sets) == 0 {
			*f = State{Ref: f.Ref, UID: f.UID}
			return
		}
		f.StableRevision = sets[0].Template.Hash
		if !f.InProgress {
			return
		}
		f.InRollback = sets[0].Template.Same(w.Template)
		if canary := byAge(s.CanarySets); len(canary) > 0 {
			f.PodTemplateHash = canary[0].Template.Hash
		}
		return
	}
	f.StableRevision = w.Labels[LabelStableRevision]
	if !f.InProgress {
		return
	}
	for _, set := range sets {
		if set.Template.Same(w.Template) {
			f.PodTemplateHash = set.Template.Hash
			break
		}
	}
	f.InRollback = f.StableRevision != "" && f.StableRevision == f.PodTemplateHash
}

func (f *State) daemonSet(revisions []DaemonSetRevision) {
	sorted := slices.Clone(revisions)
	slices.SortFunc(sorted, func(a, b DaemonSetRevision) int {
		return cmp.Or(cmp.Compare(b.Revision, a.Revision), cmp.Compare(a.Hash, b.Hash))
	})
	if len(sorted) == 0 {
		return
	}
	f.CanaryRevision, f.StableRevision = sorted[0].Hash, sorted[0].Hash
	if len(sorted) > 1 {
		f.StableRevision = sorted[1].Hash
	}
	f.InRollback = f.InProgress && f.StableRevision == f.CanaryRevision && len(sorted) > 1
}
