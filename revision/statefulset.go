// SPDX-License-Identifier: Apache-2.0

package revision

import (
	"bytes"
	"maps"
	"slices"

	"github.com/kplan-go/kplan/internal/base/ptr"
)

// A StatefulSet is a StatefulSet, with the fields that [ChooseUpdate] reads.
type StatefulSet struct {
	Name           string            `json:"name"`
	UID            string            `json:"uid"`
	Annotations    map[string]string `json:"annotations,omitempty"`
	TemplateLabels map[string]string `json:"templateLabels,omitempty"`
	Data           []byte            `json:"data"`                      // the patch that restores its present template
	Collisions     *int32            `json:"collisions,omitzero"`       // status.collisionCount; nil means 0
	Current        string            `json:"currentRevision,omitempty"` // status.currentRevision
}

// A Verb is the write by which a StatefulSet gets its update revision, which is the
// ControllerRevision of its present template.
type Verb string

// The writes.
const (
	VerbKeep     Verb = "Keep"     // none: the revision exists
	VerbRenumber Verb = "Renumber" // give an existing revision the highest number
	VerbCreate   Verb = "Create"   // create the revision, see FirstAttempt
)

// A Choice is the result of [ChooseUpdate]: the update revision and the current revision of a
// StatefulSet.
type Choice struct {
	Verb Verb `json:"verb"`
	// Update is the index of the update revision, or -1 if it must be created.
	Update int `json:"update"`
	// Revision is the update revision after the write of Verb.
	Revision ControllerRevision `json:"revision"`
	// Current is the index of the revision with the name in status.currentRevision. If there is
	// none, it is Update.
	Current int `json:"current"`
}

// ChooseUpdate chooses the update revision of a StatefulSet. It is the first that applies:
//
//  1. the newest revision, if it has the data of the StatefulSet (see [SameData])
//  2. the newest of the older revisions with this data, with a new number
//  3. the newest revision, if restored equals this data
//  4. a new revision
//
// The argument restored is the data that the StatefulSet has after the newest revision is applied
// to it and defaults are set, or nil if it is not known. It can change the result only if the Verb
// without it is [VerbCreate]: callers may compute it in this case alone and call again.
//
// It mirrors getStatefulSetRevisions of the StatefulSet controller of Kubernetes 1.36.3. Its quirk
// is quirk.SerialisationIsVersion.
func ChooseUpdate(s StatefulSet, revisions []ControllerRevision, restored []byte, opts Options) Choice {
	r := s.candidate(revisions, opts)
	last := newest(revisions)
	c := Choice{Update: -1, Revision: r}
	equal := -1
	for _, i := range FindEqual(revisions, r, opts) {
		if equal < 0 || compareRevisions(&revisions[equal], &revisions[i]) <= 0 {
			equal = i
		}
	}
	switch {
	case equal >= 0 && equal == last,
		equal < 0 && last >= 0 && restored != nil && bytes.Equal(restored, s.Data):
		c.Verb, c.Update = VerbKeep, last
		c.Revision = revisions[last].clone()
	case equal >= 0:
		c.Verb, c.Update = VerbRenumber, equal
		c.Revision = revisions[equal].clone()
		c.Revision.Revision = r.Revision
	default:
		c.Verb = VerbCreate
	}
	c.Current = c.Update
	if i := slices.IndexFunc(revisions, func(r ControllerRevision) bool { return r.Name == s.Current }); i >= 0 {
		c.Current = i
	}
	return c
}

// candidate returns the new revision to create for the data of s.
func (s StatefulSet) candidate(revisions []ControllerRevision, opts Options) ControllerRevision {
	collisions := s.Collisions
	if collisions == nil {
		collisions = ptr.To(int32(0))
	}
	parent := Parent{Kind: "StatefulSet", Name: s.Name, UID: s.UID}
	r := NewControllerRevision(parent, s.TemplateLabels, s.Data, NextRevision(revisions), collisions, opts)
	if len(s.Annotations) > 0 {
		r.Annotations = maps.Clone(s.Annotations)
	}
	return r
}

// Truncate returns the indices of the revisions of a StatefulSet to delete, first by
// [CompareRevisions] first: as many unused revisions as there are more than limit. The argument
// live has the names of the used revisions: the current revision, the update revision, and the
// label [LabelRevision] of every pod. A limit of nil is [DefaultLimit] (upstream panics). A
// negative limit deletes none.
//
// It mirrors truncateHistory of the StatefulSet controller of Kubernetes 1.36.3.
func Truncate(revisions []ControllerRevision, live []string, limit *int32) []int {
	allowed := historyLimit(limit)
	if allowed < 0 {
		return nil
	}
	used := make(map[string]bool, len(live))
	for _, name := range live {
		used[name] = true
	}
	unused := slices.DeleteFunc(sorted(revisions), func(i int) bool { return used[revisions[i].Name] })
	surplus := len(unused) - allowed
	if surplus <= 0 {
		return nil
	}
	return unused[:surplus:surplus]
}

func historyLimit(limit *int32) int {
	if limit == nil {
		return DefaultLimit
	}
	return int(*limit)
}
