// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/daemonset/quirk"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector/claim"
)

// A history is the decision about the revisions of a DaemonSet. Revisions are given by their
// indexes in the snapshot.
type history struct {
	claims     []revisionClaim              // revisions to adopt or to release, sorted by name
	unlabelled []int32                      // revisions to label with their hash, sorted by name
	gone       []int32                      // revisions to delete because they duplicate keep
	keep       int32                        // the owned revision that stays current, -1 if none has the template
	number     int64                        // the new number of keep, 0 if it does not change
	claimFirst bool                         // pods are adopted and released before they are relabelled
	create     *revision.ControllerRevision // nil if a revision has the template, or its name is taken
	collision  *int32                       // set if a revision with another template has the name
	version    Version                      // of the current revision; zero after a collision
	old        []int32                      // revisions with another template, sorted by number
}

// A revisionClaim adopts or releases a revision.
type revisionClaim struct {
	revision int32
	adopt    bool // otherwise release
}

// decideRevisions decides about the revisions: which is current, and which to create, delete,
// label, adopt and release.
func (in *input) decideRevisions() *history {
	h := &history{keep: -1}
	owned := in.claimRevisions(h)
	list := make([]revision.ControllerRevision, len(owned))
	for i, n := range owned {
		list[i] = in.revisions[n]
	}
	current, old := revision.Partition(list, in.ds.Template.Data, in.opts.Repair.Revision())
	numbers := make([]int64, len(old))
	h.old = make([]int32, len(old))
	for i, n := range old {
		numbers[i], h.old[i] = list[n].Revision, owned[n]
	}
	next := revision.Next(numbers)
	if len(current) == 0 {
		h.unlabelled = in.unlabelled(owned, nil)
		in.createRevision(h, next)
		return h
	}
	same, gone := make([]revision.ControllerRevision, len(current)), []string(nil)
	for i, n := range current {
		same[i] = list[n]
	}
	d := revision.Dedupe(same, next)
	for _, i := range d.Delete {
		gone = append(gone, same[i].Name)
		h.gone = append(h.gone, owned[current[i]])
	}
	slices.Sort(gone)
	h.keep, h.number, h.version = owned[current[d.Keep]], d.Renumber, in.newVersion(d.Hash)
	h.unlabelled = in.unlabelled(owned, gone)
	if len(gone) > 0 && d.Relabel {
		h.claimFirst = true // no pod that another owner has taken meanwhile may be relabelled
		in.relabel(&h.version, same, &d)
	}
	return h
}

// newVersion returns the version of the current revision. With quirk.GenerationHidesHash in
// Options.Repair it ignores the template generation, so that only the hash makes a pod current.
func (in *input) newVersion(hash string) Version {
	if in.opts.Repair.Has(quirk.GenerationHidesHash) {
		return NewVersion(hash, nil)
	}
	return NewVersion(hash, in.ds.Annotations)
}

// claimRevisions adds the adoptions and releases of revisions to h, and returns the revisions of
// the DaemonSet, by name.
func (in *input) claimRevisions(h *history) []int32 {
	order := make([]int32, len(in.revisions))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		a, b := &in.revisions[i], &in.revisions[j]
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
	var owned []int32
	for _, i := range order {
		switch in.claimOf(&in.revisions[i]) {
		case claim.Keep:
			owned = append(owned, i)
		case claim.Adopt:
			owned = append(owned, i)
			h.claims = append(h.claims, revisionClaim{i, true})
		case claim.Release:
			h.claims = append(h.claims, revisionClaim{i, false})
		}
	}
	return owned
}

// claimOf returns the decision whether a revision belongs to the DaemonSet.
func (in *input) claimOf(r *revision.ControllerRevision) claim.Verdict {
	return claim.Decide(&in.owner, &claim.Child{
		Labels: r.Labels, ControllerKind: r.ControllerKind, ControllerName: r.ControllerName, ControllerUID: r.ControllerUID,
	}).Verdict
}

// unlabelled returns the owned revisions without a hash in their labels, except revisions with
// names in gone, which is sorted.
func (in *input) unlabelled(owned []int32, gone []string) (list []int32) {
	for _, n := range owned {
		r := &in.revisions[n]
		if _, labelled := revision.RevisionHash(*r); !labelled && !isIn(r.Name, gone) {
			list = append(list, n)
		}
	}
	return list
}

// relabel records in v which pods the plan relabels: all pods with another hash or, with
// quirk.OlderPodsRelabelled in Options.Repair, only the pods with the hash of a deleted revision.
func (in *input) relabel(v *Version, same []revision.ControllerRevision, d *revision.Deduped) {
	v.relabelAll = !in.opts.Repair.Has(quirk.OlderPodsRelabelled)
	for _, i := range d.Delete {
		hash, _ := revision.RevisionHash(same[i])
		v.relabelled = append(v.relabelled, hash)
	}
	slices.Sort(v.relabelled)
}

// createRevision sets h.create to a new revision of the template. If an existing revision has its
// name, that revision is current if it has the same template; otherwise the collision count is
// raised, so that the next hash differs. Of several revisions with the name, which a namespace never
// has, the first by UID counts.
func (in *input) createRevision(h *history, number int64) {
	t := &in.ds.Template
	parent := revision.Parent{Kind: in.ds.kind(), Name: in.ds.Name, UID: in.ds.UID}
	r := revision.NewDaemonSetRevision(parent, t.Hash, t.Labels, in.ds.Annotations, t.Data, number, in.opts.Repair.Revision())
	i := -1
	for k := range in.revisions {
		if in.revisions[k].Name == r.Name && (i < 0 || in.revisions[k].UID < in.revisions[i].UID) {
			i = k
		}
	}
	if i < 0 {
		h.create, h.version = &r, in.newVersion(t.Hash)
		return
	}
	count := in.ds.Status.CollisionCount
	// There is no error if the count in use is the stored one.
	h.collision, _ = revision.DaemonSetTaken(in.ds.Name, t.Data, in.revisions[i], count, count, in.opts.Repair.Revision())
	if h.collision == nil {
		hash, _ := revision.RevisionHash(in.revisions[i])
		h.version = in.newVersion(hash)
	}
}
