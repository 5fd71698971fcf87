// SPDX-License-Identifier: Apache-2.0

package history

import (
	"context"
	"fmt"

	apps "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/claim"
)

func ControllerRevisionName(prefix string, hash string) string {
	ours("RevisionName")
	return revision.RevisionName(prefix, hash)
}

func HashControllerRevision(r *apps.ControllerRevision, probe *int32) string {
	ours("HashRevision")
	one := kube.ControllerRevision(r)
	return revision.HashRevision(one.Data, one.Dump, probe, revision.Options{})
}

func NewControllerRevision(parent metav1.Object, parentKind schema.GroupVersionKind, templateLabels map[string]string,
	data runtime.RawExtension, number int64, collisionCount *int32,
) (*apps.ControllerRevision, error) {
	if data.Object != nil {
		return upstreamNewControllerRevision(parent, parentKind, templateLabels, data, number, collisionCount)
	}
	ours("revision.NewControllerRevision")
	p := revision.Parent{Kind: parentKind.Kind, Name: parent.GetName(), UID: string(parent.GetUID())}
	r := kube.NewControllerRevision("", revision.NewControllerRevision(p, templateLabels, data.Raw, number, collisionCount, revision.Options{}))
	r.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(parent, parentKind)}
	return r, nil
}

func SortControllerRevisions(revisions []*apps.ControllerRevision) {
	ours("SortRevisions")
	byName := map[string]*apps.ControllerRevision{}
	for _, r := range revisions {
		byName[r.Name] = r
	}
	for i, r := range revision.SortRevisions(kube.ControllerRevisions(revisions)) {
		revisions[i] = byName[r.Name]
	}
}

func EqualRevision(lhs *apps.ControllerRevision, rhs *apps.ControllerRevision) bool {
	return lhs == rhs || lhs != nil && rhs != nil && len(FindEqualRevisions([]*apps.ControllerRevision{lhs}, rhs)) == 1
}

func FindEqualRevisions(revisions []*apps.ControllerRevision, needle *apps.ControllerRevision) []*apps.ControllerRevision {
	ours("FindEqual")
	var equal []*apps.ControllerRevision
	for _, i := range revision.FindEqual(kube.ControllerRevisions(revisions), kube.ControllerRevision(needle), revision.Options{}) {
		equal = append(equal, revisions[i])
	}
	return equal
}

// listed returns the revisions that a parent controls or may adopt.
func listed(all []*apps.ControllerRevision, parent metav1.Object, kind schema.GroupVersionKind) []*apps.ControllerRevision {
	ours("Classify")
	owner := kube.Owner(parent, kind, selector.Everything())
	owner.Deleting = false // listing does not depend on it
	var own []*apps.ControllerRevision
	for _, r := range all {
		child := kube.Child(r)
		child.Deleting = false
		if v := claim.Decide(&owner, &child).Verdict; v == claim.Keep || v == claim.Adopt {
			own = append(own, r)
		}
	}
	return own
}

func (rh *realHistory) ListControllerRevisions(parent metav1.Object, kind schema.GroupVersionKind, s labels.Selector) ([]*apps.ControllerRevision, error) {
	all, err := rh.lister.ControllerRevisions(parent.GetNamespace()).List(s)
	return listed(all, parent, kind), err
}

func (fh *fakeHistory) ListControllerRevisions(parent metav1.Object, kind schema.GroupVersionKind, s labels.Selector) ([]*apps.ControllerRevision, error) {
	all, err := fh.lister.ControllerRevisions(parent.GetNamespace()).List(s)
	return listed(all, parent, kind), err
}

// created tries names until one is free or has the same data, and counts the collisions.
func created(parent metav1.Object, r *apps.ControllerRevision, collisions *int32, try func(*apps.ControllerRevision) (*apps.ControllerRevision, error)) (*apps.ControllerRevision, error) {
	ours("FirstAttempt, Taken")
	attempt, err := revision.FirstAttempt(parent.GetName(), kube.ControllerRevision(r), collisions, revision.Options{})
	for err == nil {
		*collisions = attempt.Collisions
		named := r.DeepCopy()
		named.Name, named.Namespace = attempt.Revision.Name, parent.GetNamespace()
		there, failed := try(named)
		if !errors.IsAlreadyExists(failed) {
			return there, failed
		}
		next, use := attempt.Taken(kube.ControllerRevision(there), revision.Options{})
		if use {
			return there, nil
		}
		attempt = next
	}
	return nil, err
}

func (rh *realHistory) CreateControllerRevision(parent metav1.Object, r *apps.ControllerRevision, collisionCount *int32) (*apps.ControllerRevision, error) {
	calls := rh.client.AppsV1().ControllerRevisions(parent.GetNamespace())
	return created(parent, r, collisionCount, func(named *apps.ControllerRevision) (*apps.ControllerRevision, error) {
		made, err := calls.Create(context.TODO(), named, metav1.CreateOptions{})
		if !errors.IsAlreadyExists(err) {
			return made, err
		}
		there, failed := calls.Get(context.TODO(), named.Name, metav1.GetOptions{})
		if failed != nil {
			return nil, failed
		}
		return there, err
	})
}

func (fh *fakeHistory) CreateControllerRevision(parent metav1.Object, r *apps.ControllerRevision, collisionCount *int32) (*apps.ControllerRevision, error) {
	return created(parent, r, collisionCount, func(named *apps.ControllerRevision) (*apps.ControllerRevision, error) {
		made, err := fh.addRevision(named)
		if errors.IsAlreadyExists(err) { // upstream's fake treats each as a collision
			return &apps.ControllerRevision{}, err
		}
		return made, err
	})
}

// adoption returns the patch of an adoption, or an error if there is an owner already.
func adoption(parent metav1.Object, kind schema.GroupVersionKind, r *apps.ControllerRevision) ([]byte, error) {
	ours("Classify, Resolve, AdoptChild.Patch")
	owner := kube.Owner(parent, kind, selector.Everything())
	child := func(int) claim.Child { return kube.Child(r) }
	decided := claim.Classify(&owner, 1, child)
	if len(decided.Adopt) == 0 {
		return nil, fmt.Errorf("revision %s has an owner", r.Name)
	}
	return claim.Resolve(&owner, decided, child, claim.LiveCheck{OK: true}).Actions[0].Patch(), nil
}

func (rh *realHistory) AdoptControllerRevision(parent metav1.Object, kind schema.GroupVersionKind, r *apps.ControllerRevision) (*apps.ControllerRevision, error) {
	patch, err := adoption(parent, kind, r)
	if err != nil {
		return nil, err
	}
	return rh.client.AppsV1().ControllerRevisions(parent.GetNamespace()).Patch(context.TODO(), r.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
}

// ReleaseControllerRevision ignores the errors that our release ignores.
func (rh *realHistory) ReleaseControllerRevision(parent metav1.Object, r *apps.ControllerRevision) (*apps.ControllerRevision, error) {
	ours("ReleaseChild.Patch, Outcome.Released")
	owner := kube.Owner(parent, schema.GroupVersionKind{}, selector.Nothing())
	child := func(int) claim.Child { return kube.Child(r) }
	patch := claim.Resolve(&owner, claim.Claim{Release: []int{0}}, child, claim.LiveCheck{}).Actions[0].Patch()
	released, err := rh.client.AppsV1().ControllerRevisions(r.Namespace).Patch(context.TODO(), r.Name, types.StrategicMergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		o := kube.Outcome(err)
		return nil, o.Released()
	}
	return released, nil
}

func (fh *fakeHistory) AdoptControllerRevision(parent metav1.Object, kind schema.GroupVersionKind, r *apps.ControllerRevision) (*apps.ControllerRevision, error) {
	if _, err := adoption(parent, kind, r); err != nil {
		return nil, err
	}
	return fh.upstreamAdoptControllerRevision(parent, kind, r)
}
