// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"maps"
	"strings"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout"
)

// A following is how the new ReplicaSet follows the Deployment.
type following struct {
	// write means that the ReplicaSet has to be written: with annotations, and with
	// minReadySeconds if that differs. Upstream then leaves the Deployment for the next pass.
	write    bool
	set      map[string]string
	minReady bool
	// withNextSize are annotations that are no reason to write the ReplicaSet, but are
	// written with its next size: see revision.Keys.Sync.
	withNextSize map[string]string
	// publish means that the Deployment gets the revision of the ReplicaSet.
	publish bool
	number  string
}

// follow decides how the new ReplicaSet, if there is one, follows the Deployment.
func (f *following) follow(in *input) {
	s := in.newSet()
	if s == nil || in.deleting() && in.opts.Repair.Has(DeletingDeploymentWritesNewSet) {
		return
	}
	set, changed := in.opts.Keys.Sync(in.d.Annotations, s.rs.Annotations, in.next)
	minReady := s.rs.MinReadySeconds != in.d.MinReadySeconds
	if changed || minReady {
		f.write, f.set, f.minReady = true, set, minReady
		return
	}
	f.withNextSize, f.publish, f.number = set, true, s.rs.Annotations[in.opts.Keys.Revision]
}

// restarts reports whether a ReplicaSet is reused, so that the clock of the deadline starts
// again: the repair of [ReusedSetKeepsDeadline].
func (f *following) restarts(in *input) bool {
	if !f.write || !in.hasDeadline() || !in.opts.Repair.Has(ReusedSetKeepsDeadline) {
		return false
	}
	_, again := f.set[in.opts.Keys.Revision]
	return again
}

// A creation is the creation of the new ReplicaSet. It is nil if one exists.
type creation struct {
	rs     *replicaset.ReplicaSet
	size   int32
	wanted int32 // the size without the lower bound of a partition
	// taken means that another ReplicaSet has the name, so that the API server will reject
	// the creation: a collision of hashes, or a ReplicaSet of another owner. Then the plan
	// ends with the creation, and [Finish] handles the rejection.
	taken bool
	with  *input // the input with the ReplicaSet
}

// create returns the creation of a ReplicaSet for the Deployment's template, or nil if one
// exists.
func (in *input) create(c *counts) *creation {
	if in.newAt >= 0 {
		return nil
	}
	name := in.newName()
	rs := &replicaset.ReplicaSet{
		Name: name, ControllerUID: in.d.UID, Template: in.d.Template, MinReadySeconds: in.d.MinReadySeconds,
		Annotations: in.opts.Keys.CreationAnnotations(in.d.Annotations, in.next, in.replicas, in.writtenMaxTotal()),
	}
	wanted := in.firstSize(c)
	size, with := in.createdSize(wanted), *in
	with.newAt = len(in.sets)
	with.sets = append(in.sets[:with.newAt:with.newAt], set{rs: rs, size: size})
	return &creation{rs: rs, size: size, wanted: wanted, taken: in.named(name) != nil, with: &with}
}

// firstSize returns the size with which the new ReplicaSet may be created.
func (in *input) firstSize(c *counts) int32 {
	switch {
	case in.d.Strategy == Recreate:
		return in.replicas
	case in.partitioned():
		return in.sizeToPartition(c, 0)
	}
	return in.step(c, rollout.Set{}).Size
}

// input returns the input with the new ReplicaSet.
func (n *creation) input(in *input) *input {
	if n == nil {
		return in
	}
	return n.with
}

// addedTo returns the counts with the new ReplicaSet.
func (n *creation) addedTo(c *counts) *counts {
	if n == nil {
		return c
	}
	with := *c
	with.wanted += int64(n.size)
	return &with
}

// isTaken reports whether the name of the new ReplicaSet is taken.
func (n *creation) isTaken() bool { return n != nil && n.taken }

// failed returns the sizing of a pass that ends because the name is taken.
func (n *creation) failed() sizing {
	return sizing{holds: []kplan.Hold[Reason]{hold(n.rs.Name, ReasonNameTaken, 0, 0)}, failed: true}
}

// newLabels returns the labels of a new ReplicaSet, its template and its pods: the labels
// of the Deployment's template and the hash.
func (in *input) newLabels() map[string]string {
	labels := make(map[string]string, len(in.d.TemplateLabels)+1)
	maps.Copy(labels, in.d.TemplateLabels)
	labels[revision.LabelHash] = in.d.Template.Hash
	return labels
}

// newName returns the name of a new ReplicaSet. A long name may be cut after a dot or dash,
// and then the API server rejects it in every pass: see [CutNameInvalid].
func (in *input) newName() string {
	name := revision.ReplicaSetName(in.d.Name, in.d.Template.Hash)
	if in.opts.Repair.Has(CutNameInvalid) {
		base := strings.TrimSuffix(name, "-"+in.d.Template.Hash)
		return strings.TrimRight(base, ".-") + "-" + in.d.Template.Hash
	}
	return name
}
