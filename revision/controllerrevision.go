// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"cmp"
	"maps"
	"slices"
	"time"
)

// Labels of ControllerRevisions and of the pods that were made from them.
const (
	// LabelRevision on a pod of a StatefulSet is the name of its
	// ControllerRevision; on the ControllerRevisions and pods of a DaemonSet it
	// is the hash.
	LabelRevision = "controller-revision-hash"
	// LabelRevisionHash on a ControllerRevision of a StatefulSet is the hash that
	// it had when it was made.
	LabelRevisionHash = "controller.kubernetes.io/hash"
)

// A ControllerRevision is one version of a StatefulSet or DaemonSet.
type ControllerRevision struct {
	Name            string            `json:"name"`
	UID             string            `json:"uid,omitzero"`
	ResourceVersion string            `json:"resourceVersion,omitzero"`
	Labels          map[string]string `json:"labels,omitempty"`
	Annotations     map[string]string `json:"annotations,omitempty"`

	// ControllerKind, ControllerName and ControllerUID are those of the owner
	// that controls it, empty if none does.
	ControllerKind string `json:"controllerKind,omitzero"`
	ControllerName string `json:"controllerName,omitzero"`
	ControllerUID  string `json:"controllerUID,omitzero"`

	CreationTimestamp time.Time `json:"creationTimestamp,omitzero"`

	// Data is the patch that restores the version, byte by byte: usually
	// {"spec":{"template":{…,"$patch":"replace"}}}.
	Data []byte `json:"data,omitzero"`
	// Dump is the text of the object that the data was decoded into, "" if it
	// was not, which is the rule.
	Dump string `json:"dump,omitzero"`
	// Revision is its number. The highest is the newest.
	Revision int64 `json:"revision,omitzero"`
}

// A Parent is the StatefulSet or DaemonSet that a ControllerRevision belongs to.
type Parent struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// NewControllerRevision returns a version of a parent, named after its data. The
// collision count takes part in the name, see [HashRevision]. It has no annotations.
//
// It mirrors NewControllerRevision of the history package of Kubernetes. Quirks
// of it: DataBesideObjectNotHashed, SerialisationIsVersion.
func NewControllerRevision(p Parent, templateLabels map[string]string, data []byte, number int64, collisions *int32, opts Options) ControllerRevision {
	hash := HashRevision(data, "", collisions, opts)
	return ControllerRevision{
		Name: RevisionName(p.Name, hash), Labels: labelled(templateLabels, LabelRevisionHash, hash),
		ControllerKind: p.Kind, ControllerName: p.Name, ControllerUID: p.UID,
		Data: append([]byte(nil), data...), Revision: number,
	}
}

// labelled returns a copy of the labels of a template with one more.
func labelled(template map[string]string, key, value string) map[string]string {
	labels := make(map[string]string, len(template)+1)
	maps.Copy(labels, template)
	labels[key] = value
	return labels
}

// BelongsTo reports whether a parent with the UID may use r: it controls r, or
// nobody does. Whether the labels match is up to the caller.
//
// It mirrors ListControllerRevisions of the history package of Kubernetes 1.36.3.
func (r ControllerRevision) BelongsTo(uid string) bool {
	return r.ControllerUID == uid || r.ControllerUID == ""
}

// SameData reports whether two revisions restore the same version: data and dump are
// equal byte by byte. Labels and numbers do not matter. If SerialisationIsVersion is
// repaired, the data may differ as [Normalize] allows.
//
// It mirrors EqualRevision of the history package of Kubernetes.
func (r ControllerRevision) SameData(s ControllerRevision, opts Options) bool {
	return r.Dump == s.Dump && SameData(r.Data, s.Data, opts)
}

// FindEqual returns the indices of the revisions that restore the same version as r,
// in the order given.
//
// It mirrors FindEqualRevisions of the history package of Kubernetes.
func FindEqual(revisions []ControllerRevision, r ControllerRevision, opts Options) []int {
	r.Data = prepared(r.Data, opts)
	var equal []int
	for i := range revisions {
		if revisions[i].SameData(r, opts) {
			equal = append(equal, i)
		}
	}
	return equal
}

// CompareRevisions orders revisions by number, creation time and name, and those
// that share all three by UID. It mirrors SortControllerRevisions of the history
// package of Kubernetes, which leaves out the UID.
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
// their labels, annotations and data with those given.
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
// the highest, 1 if there is none. At the end of the int64 range it wraps around.
//
// It mirrors nextRevision of the StatefulSet controller of Kubernetes 1.36.3.
// Revisions of a DaemonSet are numbered by [Next].
func NextRevision(revisions []ControllerRevision) int64 {
	if i := newest(revisions); i >= 0 {
		return revisions[i].Revision + 1
	}
	return 1
}
