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

// A newSetUpdate is the write that copies annotations and minReadySeconds of the Deployment to its
// existing new ReplicaSet. It is the zero value if no new ReplicaSet exists.
type newSetUpdate struct {
	// needed means that the ReplicaSet is written: with annotations, which may be nil, and with
	// minReadySeconds if minReadyDiffers. As upstream, the next pass sets the revision annotation
	// of the Deployment.
	needed          bool
	annotations     map[string]string
	minReadyDiffers bool
	// upToDate means that the ReplicaSet need not be written. The Deployment then gets the revision
	// of the ReplicaSet, in the text of its annotation.
	upToDate bool
	revision string
	// withNextSize are annotations that need no write of their own. If the pass changes the size
	// of the ReplicaSet, the same write sets them: see [revision.Keys.Sync].
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

// restartsDeadline reports whether the progress deadline starts again because an existing
// ReplicaSet becomes the new one, and so gets a new revision. It is the repair of
// [quirk.ReusedSetKeepsDeadline].
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
	allowed int32 // the size before [input.sizeAtCreation] raises it
	// taken means that a ReplicaSet with this name exists, and the API server will reject the
	// creation. The hashes of two templates collide, or the ReplicaSet has another owner. The
	// creation is then the last write of the plan, and [Pass.Finish] handles the rejection.
	taken bool
	after *input // a copy of the input that has the new ReplicaSet
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
	after.sets = append(in.sets[:after.newAt:after.newAt], set{rs: rs, size: size}) // a copy
	return &creation{rs: rs, size: size, allowed: allowed, taken: in.named(name) != nil, after: &after}
}

// allowedFirstSize returns the size of the new ReplicaSet that the strategy and its limits allow at
// its creation.
func (in *input) allowedFirstSize(c *counts) int32 {
	switch {
	case in.d.Strategy == Recreate:
		return in.replicas
	case in.partitioned():
		return in.sizeToPartition(c, 0)
	}
	return in.step(c, rollout.Set{}).Size
}

// inputAfter returns the input that has the new ReplicaSet, or in if n is nil.
func (n *creation) inputAfter(in *input) *input {
	if n == nil {
		return in
	}
	return n.after
}

// countsAfter returns the counts with the wanted pods of the new ReplicaSet, or c if n is nil.
func (n *creation) countsAfter(c *counts) *counts {
	if n == nil {
		return c
	}
	after := *c
	after.wanted += int64(n.size)
	return &after
}

// isTaken reports whether a ReplicaSet with the name of the new one exists.
func (n *creation) isTaken() bool { return n != nil && n.taken }

// nameTaken returns the sizing of a pass that ends because the creation will be rejected.
func (n *creation) nameTaken() sizing {
	return sizing{holds: []kplan.Hold{hold(n.rs.Name, reason.NameTaken, 0, 0)}, failed: true}
}

// newLabels returns the labels of a new ReplicaSet and of its pod template: the labels of the
// Deployment's template and pod-template-hash.
func (in *input) newLabels() map[string]string {
	labels := make(map[string]string, len(in.d.TemplateLabels)+1)
	maps.Copy(labels, in.d.TemplateLabels)
	labels[revision.LabelHash] = in.d.Template.Hash
	return labels
}

// newName returns the name of a new ReplicaSet: the Deployment's name, cut if it is too long, a
// dash and the hash. If the part before the dash ends in a dot, the API server rejects the name in
// every pass: see [quirk.CutNameInvalid]. A part that ends in a dash is valid.
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
