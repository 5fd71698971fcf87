package replicaset

import (
	"cmp"
	"slices"

	"github.com/kplan-go/kplan/internal/zero"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector/claim"
)

// Owner returns the ReplicaSet as an owner of pods, without its selector. All pods
// of a snapshot are in its namespace, which is not named. With nil it is the owner of
// nothing.
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

// A role is what a pod is to the ReplicaSet.
type role uint8

const (
	roleNone        role = iota // it is not looked at
	roleActive                  // kept, and counted
	roleAdopt                   // adopted, and counted
	roleRelease                 // released
	roleTerminating             // being deleted, and still running
	roleFinished                // ended, but owned
)

func (r role) counts() bool { return r == roleActive || r == roleAdopt }

// claim decides what each pod is (Claims, and What counts, in rules.md), and counts.
func (st *state) claim() {
	st.claims = make([]role, len(st.pods))
	template := make([]label, 0, len(st.rs.TemplateLabels))
	for key, value := range st.rs.TemplateLabels {
		template = append(template, label{key, value})
	}
	for i := range st.pods {
		p := &st.pods[i]
		if p.ControllerUID != st.rs.UID && p.ControllerUID != "" {
			continue // the most common case by far
		}
		st.claims[i] = st.role(p)
		if st.claims[i] != roleNone {
			st.touched.add(p)
		}
		switch st.claims[i] {
		case roleTerminating:
			st.count.terminating++
		case roleActive:
			st.countActive(p, template)
		case roleAdopt:
			st.count.adopt++
			st.countActive(p, template)
		case roleRelease:
			st.count.release++
		}
	}
}

// role returns what a pod is that the ReplicaSet or nobody controls.
func (st *state) role(p *podorder.Pod) role {
	if st.rs.Selector == nil {
		return roleOfOwned(p, st.rs)
	}
	c := child(p, &st.owner)
	d := claim.DecideActive(&st.owner, &c)
	switch {
	case d.Verdict == claim.Keep:
		return roleActive
	case d.Verdict == claim.Adopt:
		return roleAdopt
	case d.Verdict == claim.Release, st.releasesAnyway(d, p):
		return roleRelease
	case d.Reason == claim.ReasonTerminating:
		return roleTerminating
	}
	return roleNone
}

// releasesAnyway reports whether Kubernetes 1.5 releases a pod although the
// ReplicaSet is being deleted.
func (st *state) releasesAnyway(d claim.Decision, p *podorder.Pod) bool {
	return st.opts.Dialect == Kubernetes15 && d.Reason == claim.ReasonControllerDeleting && p.ControllerUID == st.rs.UID
}

// roleOfOwned is role for a ReplicaSet without a selector.
func roleOfOwned(p *podorder.Pod, rs *ReplicaSet) role {
	switch {
	case !owns(p, rs):
		return roleNone
	case p.Active():
		return roleActive
	case p.Terminating():
		return roleTerminating
	}
	return roleFinished
}

// owns reports whether the pod's controller is rs. The UID decides: a kind and a name
// that differ are no reason to create another pod in place of one that is there.
func owns(p *podorder.Pod, rs *ReplicaSet) bool {
	return p.ControllerUID == rs.UID && p.ControllerUID != ""
}

// child returns what claiming reads of a pod.
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

// emitClaims plans the adoptions and releases, by name.
func (st *state) emitClaims(p *Plan) {
	n := int(st.count.adopt + st.count.release)
	if n == 0 {
		return
	}
	p.LiveCheck = st.count.adopt > 0 && st.opts.Dialect != Kubernetes15
	list := make([]int, 0, n)
	for i, role := range st.claims {
		if role == roleAdopt || role == roleRelease {
			list = append(list, i)
		}
	}
	slices.SortFunc(list, func(i, j int) int { return cmp.Compare(st.pods[i].Name, st.pods[j].Name) })
	for _, i := range list {
		pod := &st.pods[i]
		if st.claims[i] == roleAdopt {
			p.Actions = append(p.Actions, AdoptPod{Name: pod.Name, UID: pod.UID, Reference: st.reference(), Reason: ReasonOrphan})
			continue
		}
		p.Actions = append(p.Actions, ReleasePod{Name: pod.Name, UID: pod.UID, OwnerUID: st.rs.UID, Reason: ReasonNoMatch})
	}
}

func (st *state) reference() claim.OwnerReference {
	r := st.owner.Reference()
	if st.opts.Dialect == Kubernetes15 {
		r.BlockOwnerDeletion = nil
	}
	return r
}
