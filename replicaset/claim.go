// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"cmp"

	"github.com/kplan-go/kplan/internal/base/zero"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector/claim"
)

// Owner returns the ReplicaSet as an owner of pods, without its selector. The namespace stays
// empty, since all pods of a snapshot are in the namespace of the ReplicaSet. Owner(nil) is
// an owner without a name and UID.
func Owner(rs *ReplicaSet) claim.Owner {
	rs = zero.Or(rs)
	version := "apps/v1"
	if rs.Kind == KindController {
		version = "v1"
	}
	return claim.Owner{
		APIVersion: cmp.Or(rs.APIVersion, version), Kind: cmp.Or(rs.Kind, Kind),
		Name: rs.Name, UID: rs.UID, Deleting: !rs.DeletionTimestamp.IsZero(),
	}
}

// podKind returns the kind of the pods for actions: "" for the kind Pod.
func (rs *ReplicaSet) podKind() string {
	if rs.PodKind == "Pod" {
		return ""
	}
	return rs.PodKind
}

// A role is the role of a pod for the ReplicaSet. A plan may act on a pod with any role but
// roleNone, or report the pod in the status.
type role uint8

const (
	roleNone        role = iota // ignored
	roleActive                  // active and controlled: counts as a replica
	roleAdopt                   // to be adopted: counts as a replica
	roleRelease                 // to be released
	roleTerminating             // being deleted and not finished
	roleFinished                // finished and controlled by a ReplicaSet without a selector
)

func (r role) counts() bool { return r == roleActive || r == roleAdopt }

// role returns the role of a pod for which concerns is true.
func (m *measure) role(p *podorder.Pod) role {
	switch {
	case m.anyController:
		return m.roleOfSelected(p)
	case !m.selects:
		return m.roleOfOwned(p)
	}
	c := child(p, &m.owner)
	d := claim.DecideActive(&m.owner, &c)
	switch {
	case d.Verdict == claim.Keep:
		return roleActive
	case d.Verdict == claim.Adopt:
		return roleAdopt
	case d.Verdict == claim.Release, m.releasesWhileDeleting(d, p):
		return roleRelease
	case d.Reason == claim.ReasonTerminating:
		return roleTerminating
	}
	return roleNone
}

// releasesWhileDeleting reports whether Kubernetes 1.5 releases a pod although the
// ReplicaSet is being deleted.
func (m *measure) releasesWhileDeleting(d claim.Decision, p *podorder.Pod) bool {
	return m.dialect.is15() && d.Reason == claim.ReasonControllerDeleting && p.ControllerUID == m.uid
}

// roleOfOwned returns the role of a pod for a ReplicaSet without a selector.
func (m *measure) roleOfOwned(p *podorder.Pod) role {
	switch {
	case !isControlledBy(p, m.uid):
		return roleNone
	case p.Active():
		return roleActive
	case p.Terminating():
		return roleTerminating
	}
	return roleFinished
}

// roleOfSelected returns the role of a pod if pods count with any controller.
func (m *measure) roleOfSelected(p *podorder.Pod) role {
	switch {
	case !m.owner.Selector.Matches(p.Labels):
		return roleNone
	case p.Active():
		return roleActive
	case p.Terminating():
		return roleTerminating
	}
	return roleNone
}

// isControlledBy reports whether the pod's controller has the given UID. Kind and name of the
// owner reference do not matter: otherwise each pass would create another pod in place of a pod
// with a wrong kind or name.
func isControlledBy(p *podorder.Pod, uid string) bool {
	return p.ControllerUID == uid && p.ControllerUID != ""
}

// child returns the fields of a pod that claim.DecideActive reads. An unset kind or name of the
// controller is taken from o if the UID is equal.
func child(p *podorder.Pod, o *claim.Owner) claim.Child {
	c := claim.Child{
		Name: p.Name, UID: p.UID, Labels: p.Labels,
		ControllerKind: p.ControllerKind, ControllerName: p.ControllerName, ControllerUID: p.ControllerUID,
		Deleting: !p.DeletionTimestamp.IsZero(), Finished: p.Finished(),
	}
	if p.ControllerUID == o.UID {
		c.ControllerKind, c.ControllerName = cmp.Or(p.ControllerKind, o.Kind), cmp.Or(p.ControllerName, o.Name)
	}
	return c
}

func (in *input) reference() claim.OwnerReference {
	r := in.owner.Reference()
	if in.opts.Dialect.is15() {
		r.BlockOwnerDeletion = nil
	}
	return r
}
