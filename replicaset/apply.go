// SPDX-License-Identifier: Apache-2.0

package replicaset

import (
	"maps"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/selector/claim"
)

// MostCreated is the largest number of pods that [Apply] creates by one action.
const MostCreated = 1_000_000

// Apply returns s after the API server has carried out an action at now, and nothing else has
// happened. It is for simulators and tests, and does not change s.
//
//   - [CreatePods] adds pending pods with the labels of the template. Their names are the name
//     of the ReplicaSet with the lowest unused numbers, and their UIDs are made from the name
//     and now. They have no node.
//   - [DeletePod] removes a pod that has no node or is finished. Any other pod stays; unless it
//     has a DeletionTimestamp, its DeletionTimestamp becomes now.
//   - [AdoptPod] sets the controller of a pod. [ReleasePod] removes the controller of a pod if
//     the UID of that controller is OwnerUID, and otherwise changes nothing.
//   - Resource versions stay as they are.
//
// The error, if any, wraps [kplan.ErrInvalid] and one [kplan.FieldError]: no pod has the name
// and UID of the action, a pod to adopt has another controller, or the count of pods to
// create is negative or larger than [MostCreated].
func Apply(s Snapshot, a Action, now time.Time) (Snapshot, error) {
	return Actions{a}.Apply(s, now)
}

// Apply returns s after all actions of the plan have succeeded at now, with the status of the
// plan. The error is the error of the first action that the function [Apply] refuses.
func (p Plan) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	next, err := p.Actions.Apply(s, now)
	if err != nil {
		return Snapshot{}, err
	}
	next.ReplicaSet.Status = p.Status.clone()
	return next, nil
}

// Apply returns s after the actions have been carried out at now, in their order. The
// function [Apply] describes the effect of each action and its errors. After an error the
// result is the zero Snapshot.
func (as Actions) Apply(s Snapshot, now time.Time) (Snapshot, error) {
	pods := apply.NewList(s.Pods, func(p *podorder.Pod) (string, string) { return p.Name, p.UID })
	for _, action := range as {
		var err error
		if a, ok := action.(CreatePods); ok {
			err = a.apply(&s.ReplicaSet, pods, now)
		} else {
			err = applyToPod(pods, action, now)
		}
		if err != nil {
			return Snapshot{}, err
		}
	}
	s.Pods = pods.All()
	return s, nil
}

func applyToPod(pods *apply.List[podorder.Pod], action Action, now time.Time) error {
	find := func(name, uid string) (*podorder.Pod, error) {
		if p := pods.Find(name, uid); p != nil {
			return p, nil
		}
		return nil, apply.Refused("Action.Name", name, "must be the name of a pod with the UID of the action")
	}
	switch a := action.(type) {
	case AdoptPod:
		p, err := find(a.Name, a.UID)
		if err != nil {
			return err
		}
		if p.ControllerUID != "" && p.ControllerUID != a.Reference.UID {
			return apply.Refused("Action.Name", a.Name, "has another controller")
		}
		p.ControllerKind, p.ControllerName, p.ControllerUID = a.Reference.Kind, a.Reference.Name, a.Reference.UID
		return nil
	case ReleasePod:
		p, err := find(a.Name, a.UID)
		if err == nil && p.ControllerUID == a.OwnerUID {
			p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", ""
		}
		return err
	case DeletePod:
		p, err := find(a.Name, a.UID)
		switch {
		case err != nil:
			return err
		case !p.DeletionTimestamp.IsZero(): // a finalizer or the kubelet still holds it
		case p.NodeName == "" || p.Finished():
			pods.Remove(a.Name, a.UID)
		default:
			p.DeletionTimestamp = now
		}
		return nil
	}
	return apply.Refused("Action", "", "must be an action of this package")
}

func (a CreatePods) apply(rs *ReplicaSet, pods *apply.List[podorder.Pod], now time.Time) error {
	if a.Count < 0 || a.Count > MostCreated {
		return apply.Refused("Action.Count", strconv.Itoa(int(a.Count)), "must be from 0 to "+strconv.Itoa(MostCreated))
	}
	taken := map[string]bool{}
	for _, p := range pods.All() {
		taken[p.Name] = true
	}
	owner := Owner(rs)
	if a.WithoutController {
		owner = claim.Owner{}
	}
	for number, left := 0, a.Count; left > 0; number++ {
		name := rs.Name + "-" + strconv.Itoa(number)
		if taken[name] {
			continue
		}
		left--
		pods.Add(podorder.Pod{
			Name: name, UID: apply.UID(name, now), Labels: maps.Clone(rs.TemplateLabels), CreationTimestamp: now, Phase: podorder.Pending,
			ControllerKind: owner.Kind, ControllerName: owner.Name, ControllerUID: owner.UID,
		})
	}
	return nil
}
