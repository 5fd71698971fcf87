// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Labels of ControllerRevisions and of their pods.
const (
	// LabelRevision on a pod of a StatefulSet is the name of its
	// ControllerRevision; on the ControllerRevisions and pods of a DaemonSet it
	// is the hash.
	LabelRevision = "controller-revision-hash"
	// LabelRevisionHash on a ControllerRevision of a StatefulSet is the hash at its
	// creation.
	LabelRevisionHash = "controller.kubernetes.io/hash"
)

// A ControllerRevision is one version of a StatefulSet or DaemonSet.
type ControllerRevision struct {
	Name            string            `json:"name"`
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"`
	Labels          map[string]string `json:"labels,omitempty"`
	Annotations     map[string]string `json:"annotations,omitempty"`

	// ControllerKind, ControllerName and ControllerUID identify the controlling owner;
	// empty without one.
	ControllerKind string `json:"controllerKind,omitzero"`
	ControllerName string `json:"controllerName,omitzero"`
	ControllerUID  string `json:"controllerUID,omitzero"`

	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"`

	// Data is the patch that restores the version, byte by byte: usually
	// {"spec":{"template":{…,"$patch":"replace"}}}.
	Data []byte `json:"data,omitzero"`
	// Dump is the text of the object that the data was decoded into, and usually "",
	// because it was not decoded.
	Dump string `json:"dump,omitzero"`
	// Revision is the number. The highest is the newest.
	Revision int64 `json:"revision,omitzero"`
}

// A Parent is the StatefulSet or DaemonSet of a ControllerRevision.
type Parent struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// NewControllerRevision returns a new revision of a parent, without annotations. Its name
// ends in the hash of the data and the collision count, see [HashRevision].
//
// It mirrors NewControllerRevision of the history package of Kubernetes, with the quirks
// quirk.DataBesideObjectNotHashed and quirk.SerialisationIsVersion.
func NewControllerRevision(p Parent, templateLabels map[string]string, data []byte, number int64, collisions *int32, opts Options) ControllerRevision {
	hash := HashRevision(data, "", collisions, opts)
	return ControllerRevision{
		Name: RevisionName(p.Name, hash), Labels: labelled(templateLabels, LabelRevisionHash, hash),
		ControllerKind: p.Kind, ControllerName: p.Name, ControllerUID: p.UID,
		Data: append([]byte(nil), data...), Revision: number,
	}
}

// labelled returns a copy of the labels of a template with one added.
func labelled(template map[string]string, key, value string) map[string]string {
	labels := make(map[string]string, len(template)+1)
	maps.Copy(labels, template)
	labels[key] = value
	return labels
}

// BelongsTo reports whether the parent with the UID controls r, or r has no controller.
// The caller checks the labels.
//
// It mirrors ListControllerRevisions of the history package of Kubernetes 1.36.3.
func (r ControllerRevision) BelongsTo(uid string) bool {
	return r.ControllerUID == uid || r.ControllerUID == ""
}

// SameData reports whether two revisions restore the same version: data and dump are
// equal byte by byte. Labels and numbers are ignored. If quirk.SerialisationIsVersion is
// repaired, the data is compared in its normal form, see [Normalize].
//
// It mirrors EqualRevision of the history package of Kubernetes.
func (r ControllerRevision) SameData(s ControllerRevision, opts Options) bool {
	return r.Dump == s.Dump && SameData(r.Data, s.Data, opts)
}

// FindEqual returns the indices of the revisions with the same data as r, in the order
// of the list.
//
// It mirrors FindEqualRevisions of the history package of Kubernetes.
func FindEqual(revisions []ControllerRevision, r ControllerRevision, opts Options) []int {
	r.Data = comparedData(r.Data, opts)
	var equal []int
	for i := range revisions {
		if revisions[i].SameData(r, opts) {
			equal = append(equal, i)
		}
	}
	return equal
}

// CompareRevisions orders revisions by number, creation time, name and UID. It mirrors
// SortControllerRevisions of the history package of Kubernetes, which ignores the UID.
func CompareRevisions(a, b ControllerRevision) int { return compareRevisions(&a, &b) }

func compareRevisions(a, b *ControllerRevision) int {
	return cmp.Or(cmp.Compare(a.Revision, b.Revision), a.CreationTimestamp.Compare(b.CreationTimestamp),
		cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
}

// clone returns a copy that shares nothing with r.
func (r ControllerRevision) clone() ControllerRevision {
	r.Labels, r.Annotations, r.Data = maps.Clone(r.Labels), maps.Clone(r.Annotations), append([]byte(nil), r.Data...)
	return r
}

// SortRevisions returns the revisions in the order of [CompareRevisions]. They share
// labels, annotations and data with the input.
func SortRevisions(revisions []ControllerRevision) []ControllerRevision {
	list := slices.Clone(revisions)
	slices.SortStableFunc(list, CompareRevisions)
	return list
}

// sorted returns the indices of the revisions in order.
func sorted(revisions []ControllerRevision) []int {
	order := indices(len(revisions))
	slices.SortStableFunc(order, func(i, j int) int { return compareRevisions(&revisions[i], &revisions[j]) })
	return order
}

// newest returns the index of the last revision in order, or -1.
func newest(revisions []ControllerRevision) int {
	last := -1
	for i := range revisions {
		if last < 0 || compareRevisions(&revisions[last], &revisions[i]) <= 0 {
			last = i
		}
	}
	return last
}

// NextRevision returns the number of a new revision of a StatefulSet: one more than
// the highest, or 1. At the end of the int64 range it wraps around.
//
// It mirrors nextRevision of the StatefulSet controller of Kubernetes 1.36.3.
// Revisions of a DaemonSet are numbered by [Next].
func NextRevision(revisions []ControllerRevision) int64 {
	if i := newest(revisions); i >= 0 {
		return revisions[i].Revision + 1
	}
	return 1
}
