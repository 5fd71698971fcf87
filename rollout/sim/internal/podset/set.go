// SPDX-License-Identifier: Apache-2.0

package podset

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/partition"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/workload"
)

// LabelMarked is the label that marks a pod of a CloneSet for deletion.
const LabelMarked = "apps.kruise.io/specified-delete"

// The kinds, with their groups, as in [workload.Ref.GroupKind].
const (
	CloneSet            = "apps.kruise.io/CloneSet"
	StatefulSet         = "apps/StatefulSet"
	AdvancedStatefulSet = "apps.kruise.io/StatefulSet"
)

// Known reports whether a workload is of one of the kinds.
func Known(ref workload.Ref) bool {
	switch ref.GroupKind() {
	case CloneSet, StatefulSet, AdvancedStatefulSet:
		return true
	}
	return false
}

// Revision returns the name of the update revision of a set, without the namespace. Updated pods have
// it as the value of the label workload.LabelControllerRevision.
func Revision(s *cluster.Set) string { return prefix(s) + s.Template.Hash }

// TemplateOf returns the hash of the template of a revision of a set.
func TemplateOf(s *cluster.Set, revision string) string {
	return strings.TrimPrefix(revision, prefix(s))
}

// prefix is the prefix of the names of the revisions of a set.
func prefix(s *cluster.Set) string { return s.Name[strings.LastIndexByte(s.Name, '/')+1:] + "-" }

// A Snapshot is a set and the pods that it controls, in any order.
type Snapshot struct {
	Set  cluster.Set
	Pods []podorder.Pod
}

// A Verb is the kind of an action.
type Verb string

// The verbs.
const (
	Create Verb = "create"
	Delete Verb = "delete"
	Mark   Verb = "mark"   // with [LabelMarked]
	Update Verb = "update" // to another revision, in place
)

// An Action is a change of one pod.
type Action struct {
	Verb     Verb
	Name     string // "" if the API server is to choose one
	UID      string // of the pod that was seen
	Revision string // of the created or updated pod
}

// String returns a line such as "create web-2 of web-6d4f".
func (a Action) String() string {
	text := string(a.Verb) + " " + a.Name
	if a.Revision != "" {
		text += " of " + a.Revision
	}
	return text
}

// A Plan is the result of a pass.
type Plan struct {
	Actions []Action
	// Status and the revisions are the next status of the set.
	Status                         workload.Status
	StableRevision, UpdateRevision string
	RecheckAt                      time.Time // when the next pod becomes available, zero if none will
}

// String returns the actions and the status in a line.
func (p Plan) String() string { return fmt.Sprintf("%v; %+v", p.Actions, p.Status) }

// Reconcile returns the plan of one pass of the controller of a set, or the zero Plan for an unknown
// kind.
func Reconcile(s Snapshot, now time.Time) Plan {
	p := pass{set: &s.Set, now: now, update: Revision(&s.Set), current: s.Set.StableRevision}
	if p.current == "" {
		p.current = p.update
	}
	switch s.Set.GroupKind() {
	case CloneSet:
		p.cloneSet(s.Pods)
	case StatefulSet, AdvancedStatefulSet:
		p.statefulSet(s.Pods)
	}
	return p.plan
}

// A pass is one run of a controller.
type pass struct {
	set             *cluster.Set
	now             time.Time
	update, current string // the names of the revisions
	plan            Plan
}

func (p *pass) act(v Verb, pod *podorder.Pod, revision string) {
	p.plan.Actions = append(p.plan.Actions, Action{v, pod.Name, pod.UID, revision})
}

// updated reports whether a pod is of the update revision.
func (p *pass) updated(pod *podorder.Pod) bool { return RevisionOf(pod) == p.update }

// RevisionOf returns the name of the revision of a pod.
func RevisionOf(pod *podorder.Pod) string { return pod.Labels[workload.LabelControllerRevision] }

// Budget returns how many pods an update of a set may take away and add. A StatefulSet of
// Kubernetes loses one at a time.
func Budget(s *cluster.Set) rollout.Budget {
	b := rollout.Budget{Replicas: s.DesiredReplicas()}
	switch s.GroupKind() {
	case CloneSet:
		limits := s.Limits()
		return partition.CloneSetBudget(b.Replicas, &limits, s.Paused)
	case AdvancedStatefulSet:
		b.Unavailable = int32(mostUnavailable(s))
	default:
		b.Unavailable = 1
	}
	return b
}

// PodLabels returns the labels of a pod of a revision of a set.
func PodLabels(s *cluster.Set, revision string) map[string]string {
	labels := map[string]string{workload.LabelControllerRevision: revision}
	for key, value := range s.TemplateLabels {
		labels[key] = value
	}
	if s.GroupKind() == CloneSet {
		labels[workload.LabelPodTemplateHash] = workload.LastPart(revision)
	}
	return labels
}

func ready(pod *podorder.Pod) bool { return pod.Ready && pod.Phase == podorder.Running }

// available reports whether a pod is available, and notes when it will be.
func (p *pass) available(pod *podorder.Pod) bool {
	if !ready(pod) {
		return false
	}
	at, ok := pod.AvailableAt(p.set.MinReadySeconds)
	if ok && at.After(p.now) && (p.plan.RecheckAt.IsZero() || at.Before(p.plan.RecheckAt)) {
		p.plan.RecheckAt = at
	}
	return pod.Available(p.set.MinReadySeconds, p.now)
}

// count sets the numbers and revisions of the status, and when to look again.
func (p *pass) count(pods []podorder.Pod) {
	st := &p.plan.Status
	st.ObservedGeneration = p.set.Generation
	for i := range pods {
		pod := &pods[i]
		st.Replicas++
		if ready(pod) {
			st.ReadyReplicas++
		}
		if p.available(pod) {
			st.AvailableReplicas++
		}
		if !pod.DeletionTimestamp.IsZero() || !p.updated(pod) {
			continue
		}
		st.UpdatedReplicas++
		if ready(pod) {
			st.UpdatedReadyReplicas++
		}
	}
	p.plan.StableRevision, p.plan.UpdateRevision = p.current, p.update
}

func number(b bool) int {
	if b {
		return 1
	}
	return 0
}

// OrdinalOf returns the ordinal of a pod of a StatefulSet, -1 if its name has none.
func OrdinalOf(set, pod string) int {
	text, ok := strings.CutPrefix(pod, set+"-")
	n, err := strconv.ParseInt(text, 10, 32)
	if !ok || err != nil || n < 0 {
		return -1
	}
	return int(n)
}
