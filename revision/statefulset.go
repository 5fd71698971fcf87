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
	Data           []byte            `json:"data"`                      // the patch that restores its template
	Collisions     *int32            `json:"collisions,omitzero"`       // its status.collisionCount, nil means 0
	Current        string            `json:"currentRevision,omitempty"` // its status.currentRevision
}

// A Verb is the way in which a StatefulSet or DaemonSet gets its update revision.
type Verb string

// The ways to get an update revision.
const (
	VerbKeep     Verb = "Keep"     // it exists
	VerbRenumber Verb = "Renumber" // it exists, and gets the highest number
	VerbCreate   Verb = "Create"   // create it, see FirstAttempt
)

// A Choice is the choice of the update and the current revision of a StatefulSet.
type Choice struct {
	Verb Verb `json:"verb"`
	// Update is the index of the update revision, -1 if it is to be created.
	Update int `json:"update"`
	// Revision is the update revision, with its new number.
	Revision ControllerRevision `json:"revision"`
	// Current is the index of the revision that status.currentRevision names, or else
	// Update.
	Current int `json:"current"`
}

// ChooseUpdate chooses the update revision of a StatefulSet: the newest one if it has the
// set's data, an older one with a new number, the newest one if restoring it gives the
// set's data, or a new one.
//
// The argument restored is the data of the set after the newest revision is restored into
// it and defaulted, nil if unknown. It matters only if the result without it is
// [VerbCreate], so callers can compute it then and call again.
//
// It mirrors getStatefulSetRevisions of the StatefulSet controller of Kubernetes
// 1.36.3. Its quirk is quirk.SerialisationIsVersion.
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

// candidate returns a new revision for the set's data.
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

// Truncate returns the indices of the revisions of a StatefulSet to delete, lowest
// first, so that at most limit unused ones are left. The argument live has the names in
// use: of the current revision, of the update revision, and in the label
// controller-revision-hash of every pod. A limit of nil is [DefaultLimit] (upstream
// panics); a negative one keeps all.
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
