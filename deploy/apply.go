// SPDX-License-Identifier: Apache-2.0

package deploy

import (
	"cmp"
	"maps"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/internal/base/ptr"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
)

// Apply returns the snapshot s after the API server has carried out an action at now, for
// simulators and tests. It does not change s.
//
//   - The ReplicaSet of a [CreateReplicaSet] gets a UID that depends on its name and now alone.
//     Its selector has the label pod-template-hash in addition to the Deployment's selector;
//     it is nil if the Deployment has none.
//   - A change of a spec increments the generation. So does a change of the Deployment's
//     annotations, except by [AnnotateDeployment], which upstream writes with the status.
//     Resource versions do not change.
//
// An error wraps [kplan.ErrInvalid] and one [kplan.FieldError]. The errors are: no ReplicaSet has
// the name and UID of the action; a ReplicaSet with the name of the new one exists; the size of
// the ReplicaSet to scale is not From; the ReplicaSet to adopt has another controller; the type
// of the action is not of this package.
func Apply(s Snapshot, a Action, now time.Time) (Snapshot, error) {
	return Actions{a}.Apply(s, now)
}

// Apply returns the snapshot s after the actions of the plan have been carried out at now and
// its status has been written. The errors are the errors of the function [Apply].
func (p Plan) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	next, err := p.Actions.Apply(s, now)
	if err != nil {
		return Snapshot{}, err
	}
	next.Deployment.Status = p.Status.clone()
	return next, nil
}

// Apply returns the snapshot s after the actions have been carried out in order, all at now.
// Each has the effect and the errors of the function [Apply]. The first error ends it.
func (as Actions) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	sets := apply.NewList(s.ReplicaSets, func(rs *replicaset.ReplicaSet) (string, string) { return rs.Name, rs.UID })
	for _, action := range as {
		var err error
		switch a := action.(type) {
		case CreateReplicaSet:
			err = a.apply(&s.Deployment, sets, now)
		case AnnotateDeployment, PauseDeployment, RollBackDeployment, ClearRollback:
			applyToDeployment(&s.Deployment, a)
		default:
			err = applyToSet(&s.Deployment, sets, a, now)
		}
		if err != nil {
			return Snapshot{}, err
		}
	}
	s.ReplicaSets = sets.All()
	return s, nil
}

// applyToDeployment carries out an action on the Deployment itself.
func applyToDeployment(d *Deployment, action Action) {
	switch a := action.(type) {
	case AnnotateDeployment:
		d.Annotations = apply.With(d.Annotations, a.Set)
	case PauseDeployment:
		d.Paused, d.Annotations = true, apply.With(d.Annotations, a.Set)
		d.Generation++
	case RollBackDeployment:
		d.Template, d.Annotations = a.Template, apply.With(nil, a.Annotations)
		d.Generation++
	case ClearRollback:
		if _, there := d.Annotations[a.Annotation()]; there {
			d.Annotations = apply.Without(d.Annotations, a.Annotation())
			d.Generation++
		}
	}
}

func applyToSet(d *Deployment, sets *apply.List[replicaset.ReplicaSet], action Action, now time.Time) error {
	find := func(name, uid string) (*replicaset.ReplicaSet, error) {
		if rs := sets.Find(name, uid); rs != nil {
			return rs, nil
		}
		if uid == "" { // the ReplicaSet that the same plan creates: its UID was not known
			if rs := sets.Find(name, apply.UID(name, now)); rs != nil {
				return rs, nil
			}
		}
		return nil, notFound(name)
	}
	switch a := action.(type) {
	case AdoptReplicaSet:
		rs, err := find(a.Name, a.UID)
		if err != nil {
			return err
		}
		if rs.ControllerUID != "" && rs.ControllerUID != d.UID {
			return apply.Refused("Action.Name", a.Name, "has another controller")
		}
		rs.ControllerKind, rs.ControllerName, rs.ControllerUID = cmp.Or(d.Kind, Kind), d.Name, d.UID
	case ReleaseReplicaSet:
		rs, err := find(a.Name, a.UID)
		if err != nil {
			return err
		}
		if rs.ControllerUID == d.UID {
			rs.ControllerKind, rs.ControllerName, rs.ControllerUID = "", "", ""
		}
	case AnnotateReplicaSet:
		rs, err := find(a.Name, a.UID)
		if err != nil {
			return err
		}
		a.apply(rs)
	case ScaleReplicaSet:
		rs, err := find(a.Name, a.UID)
		if err != nil {
			return err
		}
		*rs, err = a.ApplyTo(*rs)
		return err
	case DeleteReplicaSet:
		_, err := find(a.Name, a.UID)
		sets.Remove(a.Name, a.UID)
		return err
	default:
		return apply.Refused("Action", "", "must be an action of this package")
	}
	return nil
}

func (a CreateReplicaSet) apply(d *Deployment, sets *apply.List[replicaset.ReplicaSet], now time.Time) error {
	for _, rs := range sets.All() {
		if rs.Name == a.Name {
			return apply.Refused("Action.Name", a.Name, "must not be that of a ReplicaSet")
		}
	}
	rs := replicaset.ReplicaSet{
		Kind: a.Kind,
		Name: a.Name, UID: apply.UID(a.Name, now), Generation: 1, Labels: maps.Clone(a.Labels), Annotations: maps.Clone(a.Annotations),
		ControllerKind: cmp.Or(d.Kind, Kind), ControllerName: d.Name, ControllerUID: d.UID, CreationTimestamp: now, Replicas: ptr.To(a.Replicas),
		MinReadySeconds: a.MinReadySeconds, Template: a.Template, TemplateLabels: maps.Clone(a.Labels),
	}
	if d.Selector != nil {
		rs.Selector = d.Selector.WithLabel(revision.LabelHash, a.Template.Hash)
	}
	sets.Add(rs)
	return nil
}

func (a AnnotateReplicaSet) apply(rs *replicaset.ReplicaSet) {
	rs.Annotations = apply.Having(rs.Annotations, a.Set)
	if a.MinReadySeconds != nil && *a.MinReadySeconds != rs.MinReadySeconds {
		rs.MinReadySeconds = *a.MinReadySeconds
		rs.Generation++
	}
}

// ApplyTo returns the ReplicaSet rs after the API server has carried out the action. It does not
// change rs. It returns an error of [Apply] if rs has another name or size than the action, or
// another UID than an action with a UID.
func (a ScaleReplicaSet) ApplyTo(rs replicaset.ReplicaSet) (replicaset.ReplicaSet, error) {
	if apply.Meant(replicaset.Kind, true, rs.Name, rs.UID, a.Name, a.UID) != nil {
		return replicaset.ReplicaSet{}, notFound(a.Name)
	}
	size := int32(1)
	if rs.Replicas != nil {
		size = *rs.Replicas
	}
	if size != a.From {
		return replicaset.ReplicaSet{}, apply.Refused("Action.From", strconv.Itoa(int(a.From)), "must be the size of the ReplicaSet")
	}
	rs.Annotations = apply.Having(rs.Annotations, a.Set)
	if a.To != size {
		rs.Replicas = ptr.To(a.To)
		rs.Generation++
	}
	return rs, nil
}

func notFound(name string) error {
	return apply.Refused("Action.Name", name, "must be the name of a ReplicaSet with the UID of the action")
}
