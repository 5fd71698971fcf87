// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"maps"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/deploy/quirk"
	"github.com/kplan-go/kplan/deploy/reason"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// A newSetUpdate brings the existing new ReplicaSet in line with the Deployment. It is zero without
// one.
type newSetUpdate struct {
	// needed means that the ReplicaSet is written: with annotations, if they are not nil, and with
	// minReadySeconds if that differs. The Deployment then gets its revision annotation in the
	// next pass, as upstream does.
	needed          bool
	annotations     map[string]string
	minReadyDiffers bool
	// upToDate means that it need not be written. The Deployment then gets its revision, which is
	// the text of the annotation.
	upToDate bool
	revision string
	// withNextSize are annotations for which the ReplicaSet is not written. If the pass changes its
	// size, they are part of that write: see [revision.Keys.Sync].
	withNextSize map[string]string
}

// decide decides the update of the new ReplicaSet, if there is one.
func (u *newSetUpdate) decide(in *input) {
	s := in.newSet()
	if s == nil || in.deleting() && in.opts.Repair.Has(quirk.DeletingDeploymentWritesNewSet) {
		return
	}
	annotations, changed := in.opts.Keys.Sync(in.d.Annotations, s.rs.Annotations, in.nextRevision)
	minReadyDiffers := s.rs.MinReadySeconds != in.d.MinReadySeconds
	if changed || minReadyDiffers {
		u.needed, u.annotations, u.minReadyDiffers = true, annotations, minReadyDiffers
		return
	}
	u.upToDate, u.revision, u.withNextSize = true, s.rs.Annotations[in.opts.Keys.Revision], annotations
}

// restartsDeadline reports whether the time to the progress deadline begins again, with
// [quirk.ReusedSetKeepsDeadline] in Options.Repair: the rollout goes back to an existing ReplicaSet, which
// gets a new revision.
func (u *newSetUpdate) restartsDeadline(in *input) bool {
	if !u.needed || !in.hasDeadline() || !in.opts.Repair.Has(quirk.ReusedSetKeepsDeadline) {
		return false
	}
	_, reused := u.annotations[in.opts.Keys.Revision]
	return reused
}

// A creation is the creation of the new ReplicaSet. It is nil if the pass creates none.
type creation struct {
	rs      *replicaset.ReplicaSet
	size    int32
	allowed int32 // the size without the lower bound of a partition
	// taken means that another ReplicaSet has the name, so that the API server will reject
	// the creation: a collision of hashes, or a ReplicaSet of another owner. Then the plan
	// ends with the creation, and [Finish] handles the rejection.
	taken bool
	after *input // the input with the ReplicaSet
}

// newCreation returns the creation of a ReplicaSet for the Deployment's template, or nil if one
// exists.
func (in *input) newCreation(c *counts) *creation {
	if in.newAt >= 0 {
		return nil
	}
	name := in.newName()
	rs := &replicaset.ReplicaSet{
		Name: name, ControllerUID: in.d.UID, Template: in.d.Template, MinReadySeconds: in.d.MinReadySeconds,
		Annotations: in.opts.Keys.CreationAnnotations(in.d.Annotations, in.nextRevision, in.replicas, in.writtenMaxTotal()),
	}
	allowed := in.allowedFirstSize(c)
	size, after := in.sizeAtCreation(allowed), *in
	after.newAt = len(in.sets)
	after.sets = append(in.sets[:after.newAt:after.newAt], set{rs: rs, size: size}) // in new memory
	return &creation{rs: rs, size: size, allowed: allowed, taken: in.named(name) != nil, after: &after}
}

// allowedFirstSize returns the size with which strategy and limits let the new ReplicaSet be
// created.
func (in *input) allowedFirstSize(c *counts) int32 {
	switch {
	case in.d.Strategy == Recreate:
		return in.replicas
	case in.partitioned():
		return in.sizeToPartition(c, 0)
	}
	return in.step(c, rollout.Set{}).Size
}

// inputAfter returns the input with the new ReplicaSet, or in if none is created.
func (n *creation) inputAfter(in *input) *input {
	if n == nil {
		return in
	}
	return n.after
}

// countsAfter returns the counts with the new ReplicaSet, or c if none is created.
func (n *creation) countsAfter(c *counts) *counts {
	if n == nil {
		return c
	}
	after := *c
	after.wanted += int64(n.size)
	return &after
}

// isTaken reports whether the name of the new ReplicaSet is taken.
func (n *creation) isTaken() bool { return n != nil && n.taken }

// nameTaken returns the sizing of a pass that ends because the name is taken.
func (n *creation) nameTaken() sizing {
	return sizing{holds: []kplan.Hold{hold(n.rs.Name, reason.NameTaken, 0, 0)}, failed: true}
}

// newLabels returns the labels of a new ReplicaSet, its template and its pods: the labels
// of the Deployment's template and the hash.
func (in *input) newLabels() map[string]string {
	labels := make(map[string]string, len(in.d.TemplateLabels)+1)
	maps.Copy(labels, in.d.TemplateLabels)
	labels[revision.LabelHash] = in.d.Template.Hash
	return labels
}

// newName returns the name of a new ReplicaSet. If a long name is cut after a dot, the dash before
// the hash follows the dot, and the API server rejects the name in every pass: see
// [quirk.CutNameInvalid]. A name that is cut after a dash is valid.
func (in *input) newName() string {
	name := revision.ReplicaSetName(in.d.Name, in.d.Template.Hash)
	if in.opts.Repair.Has(quirk.CutNameInvalid) {
		base := strings.TrimSuffix(name, "-"+in.d.Template.Hash)
		if strings.HasSuffix(strings.TrimRight(base, "-"), ".") {
			return strings.TrimRight(base, ".-") + "-" + in.d.Template.Hash
		}
	}
	return name
}
