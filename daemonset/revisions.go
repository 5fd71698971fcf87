package daemonset

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector/claim"
)

// construct finds or makes the current revision. It reports false if the name of a new
// one is taken by another template.
func (st *state) construct(p *Plan) bool {
	owned := st.claimRevisions(p)
	data := st.ds.Template.Data
	list := make([]revision.ControllerRevision, len(owned))
	for i, n := range owned {
		list[i] = st.revisions[n]
	}
	current, old := revision.Partition(list, data, st.opts.Repair.revision())
	numbers := make([]int64, len(old))
	for i, n := range old {
		numbers[i] = list[n].Revision
		st.old = append(st.old, owned[n])
	}
	next := revision.Next(numbers)
	if len(current) == 0 {
		st.label(p, owned, 0, 0)
		return st.createRevision(p, next)
	}
	same := make([]revision.ControllerRevision, len(current))
	for i, n := range current {
		same[i] = list[n]
	}
	d := revision.Dedupe(same, next)
	keep := owned[current[d.Keep]]
	st.version = st.newVersion(d.Hash)
	gone := make([]string, len(d.Delete))
	for k, i := range d.Delete {
		gone[k] = same[i].Name
	}
	slices.Sort(gone)
	owned = slices.DeleteFunc(owned, func(n int32) bool { return isIn(st.revisions[n].Name, gone) })
	if len(gone) == 0 {
		st.label(p, owned, keep, d.Renumber)
		return true
	}
	st.label(p, owned, keep, 0)
	if d.Relabel { // none is relabelled that is another's by now
		p.Actions = append(p.Actions, st.claims()...)
		st.claimed = nil
		st.relabel(p, same, &d)
	}
	for _, i := range d.Delete {
		p.do(DeleteRevision{Object: revisionObject(&same[i]), Reason: ReasonDuplicate})
	}
	if r := &st.revisions[keep]; d.Renumber != 0 {
		p.do(UpdateRevision{Object: revisionObject(r), From: r.Revision, To: d.Renumber, Reason: ReasonRollback})
	}
	return true
}

// newVersion returns the version of the current revision. If
// [GenerationHidesHash] is repaired the template generation, which may be another
// DaemonSet's, tells nothing.
func (st *state) newVersion(hash string) Version {
	if st.opts.Repair.Has(GenerationHidesHash) {
		return NewVersion(hash, nil)
	}
	return NewVersion(hash, st.ds.Annotations)
}

// claimRevisions decides which revisions belong to the DaemonSet, and returns their
// numbers by name.
func (st *state) claimRevisions(p *Plan) []int32 {
	order := make([]int32, len(st.revisions))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		a, b := &st.revisions[i], &st.revisions[j]
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	var owned []int32
	for _, i := range order {
		r := &st.revisions[i]
		child := claim.Child{
			Labels: r.Labels, ControllerKind: r.ControllerKind, ControllerName: r.ControllerName, ControllerUID: r.ControllerUID,
		}
		switch claim.Decide(&st.owner, &child).Verdict {
		case claim.Keep:
			owned = append(owned, i)
		case claim.Adopt:
			owned = append(owned, i)
			p.do(AdoptRevision{Object: revisionObject(r), Reason: ReasonOrphan})
		case claim.Release:
			p.do(ReleaseRevision{Object: revisionObject(r), Reason: ReasonNoMatch})
		}
	}
	return owned
}

func revisionObject(r *revision.ControllerRevision) Object {
	return Object{Name: r.Name, UID: r.UID, ResourceVersion: r.ResourceVersion}
}

// label gives revisions without a hash their name as one, and the one to keep its new
// number, 0 for none. If that has a hash, it comes last, as in constructHistory.
func (st *state) label(p *Plan, owned []int32, keep int32, number int64) {
	if number != 0 {
		if _, labelled := revision.RevisionHash(st.revisions[keep]); labelled {
			st.label(p, owned, keep, 0)
			r := &st.revisions[keep]
			p.do(UpdateRevision{Object: revisionObject(r), From: r.Revision, To: number, Reason: ReasonRollback})
			return
		}
	}
	for _, n := range owned {
		r := &st.revisions[n]
		a := UpdateRevision{Object: revisionObject(r), From: r.Revision, To: r.Revision}
		if hash, labelled := revision.RevisionHash(*r); !labelled {
			a.Hash, a.Reason = hash, ReasonUnlabelled
		}
		if n == keep && number != 0 {
			a.To, a.Reason = number, ReasonRollback
		}
		if a.Reason != "" {
			p.do(a)
		}
	}
}

// relabel gives pods the hash of the revision that stays: all pods, or if
// [OlderPodsRelabelled] is repaired only those of the revisions that go.
func (st *state) relabel(p *Plan, same []revision.ControllerRevision, d *revision.Deduped) {
	var gone []string
	all := !st.opts.Repair.Has(OlderPodsRelabelled)
	for _, i := range d.Delete {
		hash, _ := revision.RevisionHash(same[i])
		gone = append(gone, hash)
	}
	slices.Sort(gone)
	var pods []int32
	for _, i := range st.owned {
		hash := st.pods[i].Labels[LabelHash]
		if hash != d.Hash && (all || isIn(hash, gone)) {
			pods = append(pods, i)
		}
	}
	slices.SortFunc(pods, func(i, j int32) int { return cmp.Compare(st.pods[i].Name, st.pods[j].Name) })
	for _, i := range pods {
		pod := &st.pods[i]
		p.do(RelabelPod{Object: pod.object(), From: pod.Labels[LabelHash], To: d.Hash, Reason: ReasonDuplicate})
	}
	st.version.relabelAll, st.version.relabelled = all, gone
}

// isIn reports whether a text is among others, which are sorted.
func isIn(text string, sorted []string) bool {
	_, found := slices.BinarySearch(sorted, text)
	return found
}

// createRevision stores the present template.
func (st *state) createRevision(p *Plan, number int64) bool {
	t := &st.ds.Template
	parent := revision.Parent{Kind: Kind, Name: st.ds.Name, UID: st.ds.UID}
	r := revision.NewDaemonSetRevision(parent, t.Hash, t.Labels, st.ds.Annotations, t.Data, number, st.opts.Repair.revision())
	for i := range st.revisions {
		if existing := &st.revisions[i]; existing.Name == r.Name {
			return st.taken(p, i)
		}
	}
	st.version = st.newVersion(t.Hash)
	p.do(CreateRevision{
		Name: r.Name, Hash: t.Hash, Revision: number, Labels: r.Labels, Annotations: r.Annotations, Data: r.Data,
		Reason: ReasonNewTemplate,
	})
	return true
}

// taken uses a revision that has the name of the new one, if it has the template as
// well. Otherwise the collision count is raised, so that the next hash is another one;
// OpenKruise fails to raise it.
func (st *state) taken(p *Plan, i int) bool {
	count := st.ds.Status.CollisionCount
	raised, _ := revision.DaemonSetTaken(st.ds.Name, st.ds.Template.Data, st.revisions[i], count, count, st.opts.Repair.revision())
	if raised == nil {
		hash, _ := revision.RevisionHash(st.revisions[i])
		st.version = st.newVersion(hash)
		return true
	}
	if !st.opts.kruise() || st.opts.Repair.Has(CollisionCountNotRaised) {
		p.Status.CollisionCount = raised
	}
	p.hold(Hold{Reason: ReasonCollision, Have: int64(*raised)})
	return false
}

// cleanUp deletes old revisions beyond the limit that no pod has.
func (st *state) cleanUp(p *Plan) {
	limit := revision.DefaultLimit
	if st.ds.RevisionHistoryLimit != nil {
		limit = int(*st.ds.RevisionHistoryLimit)
	}
	if len(st.old) <= limit {
		return
	}
	old := make([]revision.ControllerRevision, len(st.old))
	for i, n := range st.old {
		old[i] = st.revisions[n]
	}
	live := make([]string, 0, len(st.owned))
	for _, n := range st.owned {
		if pod := &st.pods[n]; pod.target() != "" { // one that belongs to no node holds nothing
			live = append(live, st.version.hashOf(pod))
		}
	}
	for _, i := range revision.CleanUpRevisions(old, live, st.ds.RevisionHistoryLimit) {
		p.do(DeleteRevision{Object: revisionObject(&old[i]), Reason: ReasonHistoryLimit})
	}
}
