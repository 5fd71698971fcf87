package deploy

import (
	"maps"
	"strconv"
	"strings"

	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/selector"
)

// syncNew finds the ReplicaSet with the Deployment's template, the oldest if there
// are several, and makes it follow the Deployment. If the
// ReplicaSet has to be written for that, upstream leaves the Deployment for the
// next pass.
func (st *state) syncNew() {
	st.findNew()
	s := st.newSet()
	if s == nil || st.deleting() && st.opts.Repair.Has(DeletingDeploymentWritesNewSet) || st.annotateNew(s) {
		return
	}
	st.annotateDeployment(s.rs.Annotations[revision.AnnotationRevision])
	if st.hasDeadline() && findCondition(st.conditions, ConditionProgressing) == nil {
		st.setCondition(ConditionProgressing, selector.ConditionTrue, progressFound, "")
		st.found = true
	}
}

// findNew sets which ReplicaSet is the new one and the revision after those of all
// old ones.
func (st *state) findNew() {
	highest := int64(0)
	for i := range st.sets {
		if st.newest < 0 && st.sets[i].rs.Template.Same(st.d.Template) {
			st.newest = i
			continue
		}
		if n, err := revision.Number(st.sets[i].rs.Annotations); err == nil {
			highest = max(highest, n)
		}
	}
	st.next = revision.Next([]int64{highest})
}

func found(s *set) string { return quoting("Found new replica set ", s.rs.Name, "") }

// annotateNew brings annotations and minReadySeconds of the new ReplicaSet up to
// date and reports whether it has to be written.
func (st *state) annotateNew(s *set) bool {
	set, changed := revision.Sync(st.d.Annotations, s.rs.Annotations, st.next)
	minReady := s.rs.MinReadySeconds != st.d.MinReadySeconds
	if !changed && !minReady {
		st.withNextSize = set
		return false
	}
	a := AnnotateReplicaSet{Name: s.rs.Name, UID: s.rs.UID, ResourceVersion: s.rs.ResourceVersion, Set: set, Reason: ReasonRevision}
	if minReady {
		a.MinReadySeconds = new(st.d.MinReadySeconds)
	}
	st.act(a)
	if _, again := set[revision.AnnotationRevision]; again && st.hasDeadline() && st.opts.Repair.Has(ReusedSetKeepsDeadline) {
		st.replaceCondition(Condition{
			Type: ConditionProgressing, Status: selector.ConditionTrue, Reason: progressFound, Message: found(s),
			LastUpdateTime: st.now, LastTransitionTime: st.now,
		})
	}
	return true
}

// annotateDeployment publishes the revision on the Deployment.
func (st *state) annotateDeployment(number string) {
	if st.d.Annotations[revision.AnnotationRevision] != number {
		st.act(AnnotateDeployment{Set: map[string]string{revision.AnnotationRevision: number}, Reason: ReasonRevision})
	}
}

// create plans the ReplicaSet for the Deployment's template, and reports whether
// the plan may go on. It may not if the name is taken: the creation will be refused, and
// what follows is [AfterCreate].
func (st *state) create() (ok bool) {
	name := st.newName()
	st.explainName(name)
	st.newest = len(st.sets)
	st.sets = append(st.sets, set{rs: &replicaset.ReplicaSet{
		Name: name, ControllerUID: st.d.UID, Template: st.d.Template, MinReadySeconds: st.d.MinReadySeconds,
	}})
	s := st.newSet()
	wanted := st.newSize()
	s.from = st.createdSize(wanted)
	s.spec = s.from

	annotations := revision.CreationAnnotations(st.d.Annotations, st.next, st.replicas, st.writtenMaxTotal())
	s.rs.Annotations = annotations
	st.act(CreateReplicaSet{
		Name: name, Replicas: s.spec, Template: st.d.Template, Revision: st.next,
		MinReadySeconds: st.d.MinReadySeconds, Labels: st.newLabels(), Annotations: maps.Clone(annotations), Reason: ReasonNewTemplate,
	})
	if st.named(name) != nil {
		st.aborted, st.refresh = true, false
		return false
	}
	if wanted > 0 {
		st.event(len(st.plan.Actions)-1, "Normal", "ScalingReplicaSet", st.createEvent(name, s.spec))
	}
	st.annotateDeployment(strconv.FormatInt(st.next, 10))
	if st.hasDeadline() {
		st.setCondition(ConditionProgressing, selector.ConditionTrue, progressCreated, quoting("Created new replica set ", name, ""))
	}
	return true
}

// newLabels returns the labels of a new ReplicaSet, of its template and its pods:
// those of the Deployment's template and the hash.
func (st *state) newLabels() map[string]string {
	labels := make(map[string]string, len(st.d.TemplateLabels)+1)
	maps.Copy(labels, st.d.TemplateLabels)
	labels[revision.LabelHash] = st.d.Template.Hash
	return labels
}

// newName returns the name of a new ReplicaSet. A long name may be cut behind a dot
// or dash, and then the API server rejects it, again and again: see [CutNameInvalid].
func (st *state) newName() string {
	name := revision.ReplicaSetName(st.d.Name, st.d.Template.Hash)
	if st.opts.Repair.Has(CutNameInvalid) {
		base := strings.TrimSuffix(name, "-"+st.d.Template.Hash)
		return strings.TrimRight(base, ".-") + "-" + st.d.Template.Hash
	}
	return name
}

// newSize returns the size that the new ReplicaSet may have.
func (st *state) newSize() int32 {
	s := st.newSet()
	if st.d.Strategy == Recreate {
		return st.replicas
	}
	terminating, known := st.countedTerminating()
	if !known {
		return s.spec
	}
	total := st.asInt32Sum(st.total() + terminating)
	if st.partitioned() {
		return st.partitionedSize(total, s.spec)
	}
	if size := rollout.Grow(st.budget, total, s.spec, st.policy()); size >= 0 {
		return size
	}
	return s.spec // it has wrapped around
}

// holdNew says why the new ReplicaSet does not grow.
func (st *state) holdNew(s *set) {
	terminating, known := st.countedTerminating()
	switch {
	case st.atLimit(s):
		st.hold(s.rs.Name, ReasonPartition, s.spec, st.limit())
	case !known:
		st.hold(s.rs.Name, ReasonTerminatingUnknown, 0, 0)
	case terminating > 0:
		st.hold64(s.rs.Name, ReasonTerminating, st.asInt32Sum(st.total()+terminating), st.maxTotal())
	default:
		st.hold64(s.rs.Name, ReasonSurgeExhausted, st.total(), st.maxTotal())
	}
}

// countedTerminating returns how many terminating pods take up room, by the policy; known is
// false if nothing may be started until that is known.
func (st *state) countedTerminating() (n int64, known bool) {
	if st.opts.Terminating == TerminationStarted {
		return 0, true
	}
	sum := st.terminating()
	if sum == nil {
		return 0, st.opts.Terminating != TerminationKnown
	}
	return int64(*sum), true
}

// policy says how counts are reckoned, by the quirks that are repaired.
func (st *state) policy() rollout.Policy { return st.opts.Repair.policy() }

// maxTotal is how many pods may be wanted.
func (st *state) maxTotal() int64 { return st.policy().MaxTotal(st.budget) }

// writtenMaxTotal is the same as it is written into annotations.
func (st *state) writtenMaxTotal() int32 { return st.clampInt32(st.maxTotal()) }

// sizeAnnotations returns what a ReplicaSet records whenever it is scaled.
func (st *state) sizeAnnotations() map[string]string {
	return map[string]string{
		revision.AnnotationDesired: strconv.Itoa(int(st.replicas)),
		revision.AnnotationMax:     strconv.Itoa(int(st.writtenMaxTotal())),
	}
}

// annotationsStale reports whether a ReplicaSet records other numbers.
func (st *state) annotationsStale(annotations map[string]string) bool {
	return annotations[revision.AnnotationDesired] != strconv.Itoa(int(st.replicas)) ||
		annotations[revision.AnnotationMax] != strconv.Itoa(int(st.writtenMaxTotal()))
}
