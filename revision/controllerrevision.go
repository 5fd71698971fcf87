// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Labels of ControllerRevisions and of the pods of StatefulSets and DaemonSets.
const (
	// LabelRevision on a pod of a StatefulSet is the name of the pod's ControllerRevision. On
	// the ControllerRevisions and pods of a DaemonSet it is the hash of the pod template.
	LabelRevision = "controller-revision-hash"
	// LabelRevisionHash on a ControllerRevision of a StatefulSet is the hash of its data with
	// the collision count at its creation.
	LabelRevisionHash = "controller.kubernetes.io/hash"
)

// A ControllerRevision is one version of the pod template of a StatefulSet or DaemonSet.
type ControllerRevision struct {
	Name            string            `json:"name"`
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"`
	Labels          map[string]string `json:"labels,omitempty"`
	Annotations     map[string]string `json:"annotations,omitempty"`

	// ControllerKind, ControllerName and ControllerUID identify the controller in the owner
	// references. They are empty without a controller.
	ControllerKind string `json:"controllerKind,omitzero"`
	ControllerName string `json:"controllerName,omitzero"`
	ControllerUID  string `json:"controllerUID,omitzero"`

	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"`

	// Data is the stored bytes of the patch that restores the version, usually
	// {"spec":{"template":{…,"$patch":"replace"}}}.
	Data []byte `json:"data,omitzero"`
	// Dump is the text that upstream hashes for a decoded object in the data. It is "" if the
	// data was not decoded, which is the usual case.
	Dump string `json:"dump,omitzero"`
	// Revision is the number of the version. The newest version has the highest number.
	Revision int64 `json:"revision,omitzero"`
}

// A Parent is the StatefulSet or DaemonSet that a ControllerRevision belongs to.
type Parent struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// NewControllerRevision returns a new ControllerRevision of a parent, without annotations. Its
// labels are the labels of the template and [LabelRevisionHash]. Its name ends in the hash of the
// data and the collision count: see [HashRevision], which also reads the options.
//
// It mirrors NewControllerRevision of the history package of Kubernetes. Its quirks are
// quirk.DataBesideObjectNotHashed and quirk.SerialisationIsVersion.
func NewControllerRevision(p Parent, templateLabels map[string]string, data []byte, number int64, collisions *int32, opts Options) ControllerRevision {
	hash := HashRevision(data, "", collisions, opts)
	return ControllerRevision{
		Name: RevisionName(p.Name, hash), Labels: labelled(templateLabels, LabelRevisionHash, hash),
		ControllerKind: p.Kind, ControllerName: p.Name, ControllerUID: p.UID,
		Data: append([]byte(nil), data...), Revision: number,
	}
}

// labelled returns a copy of the labels of a template with one label added.
func labelled(template map[string]string, key, value string) map[string]string {
	labels := make(map[string]string, len(template)+1)
	maps.Copy(labels, template)
	labels[key] = value
	return labels
}

// BelongsTo reports whether the parent with the UID controls r, or r has no controller. It does not
// check whether the parent's selector matches the labels of r.
//
// It mirrors ListControllerRevisions of the history package of Kubernetes 1.36.3.
func (r ControllerRevision) BelongsTo(uid string) bool {
	return r.ControllerUID == uid || r.ControllerUID == ""
}

// SameData reports whether r and s are the same version: their Data (see the function [SameData])
// and their Dump are equal. Labels and numbers are ignored.
//
// It mirrors EqualRevision of the history package of Kubernetes.
func (r ControllerRevision) SameData(s ControllerRevision, opts Options) bool {
	return r.Dump == s.Dump && SameData(r.Data, s.Data, opts)
}

// FindEqual returns the indices, in ascending order, of the revisions with the same data as r: see
// [ControllerRevision.SameData].
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

// CompareRevisions compares two revisions by number, then by creation time, name and UID. The
// result is negative if a comes before b, 0 if they are equal in all four, and positive otherwise.
//
// It mirrors SortControllerRevisions of the history package of Kubernetes, which ignores the UID.
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

// SortRevisions returns a list of the revisions in the order of [CompareRevisions]. It shares the
// labels, annotations and data of the input.
func SortRevisions(revisions []ControllerRevision) []ControllerRevision {
	list := slices.Clone(revisions)
	slices.SortStableFunc(list, CompareRevisions)
	return list
}

// sorted returns the indices of the revisions in the order of [CompareRevisions].
func sorted(revisions []ControllerRevision) []int {
	order := indices(len(revisions))
	slices.SortStableFunc(order, func(i, j int) int { return compareRevisions(&revisions[i], &revisions[j]) })
	return order
}

// newest returns the index of the last revision by [CompareRevisions], or -1 without revisions.
func newest(revisions []ControllerRevision) int {
	last := -1
	for i := range revisions {
		if last < 0 || compareRevisions(&revisions[last], &revisions[i]) <= 0 {
			last = i
		}
	}
	return last
}

// NextRevision returns the number of a new revision of a StatefulSet: one more than the highest
// number, or 1 without revisions. The largest int64 wraps around.
//
// It mirrors nextRevision of the StatefulSet controller of Kubernetes 1.36.3.
// Revisions of a DaemonSet are numbered by [Next].
func NextRevision(revisions []ControllerRevision) int64 {
	if i := newest(revisions); i >= 0 {
		return revisions[i].Revision + 1
	}
	return 1
}
