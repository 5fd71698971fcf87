// SPDX-License-Identifier: Apache-2.0

package daemonset

import (
	"bytes"
	"slices"
	"time"

	"github.com/kplan-go/kplan/revision"
)

// These give tests one step of a plan alone, or one rule.

func prepare(s Snapshot, now time.Time, opts Options) (*state, decision, error) {
	in, h, err := read(&s, podList(s.Pods), now, opts)
	if err != nil {
		return nil, decision{}, err
	}
	st := count(in, h, omittedNodes{})
	return st, decision{budget: Resolve(st.strategy, st.surge, st.maxUnavailable, st.desired)}, nil
}

func ManageOnly(s Snapshot, now time.Time, opts Options) (p Plan, err error) {
	st, _, err := prepare(s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	p.Status = copyStatus(st.ds.Status)
	m := st.manage()
	st.writeManaging(&p, &m)
	return p, nil
}

func UpdateOnly(s Snapshot, now time.Time, opts Options) (Plan, error) {
	st, d, err := prepare(s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	p, u := Plan{Status: copyStatus(st.ds.Status), Budget: d.budget}, st.update(&d.budget, nil)
	st.writeUpdating(&p, &u)
	return p, nil
}

func FilterOnly(s Snapshot, now time.Time, opts Options) ([]string, error) {
	st, _, err := prepare(s, now, opts)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, i := range st.selectNodes().keys {
		names = append(names, st.keys[i].name)
	}
	return names, nil
}

// ConstructOnly returns the actions on revisions, the current hash and the name of the
// current revision.
func ConstructOnly(s Snapshot, now time.Time, opts Options) (p Plan, name, hash string, old []string, ok bool, err error) {
	st, _, err := prepare(s, now, opts)
	if err != nil {
		return p, "", "", nil, false, err
	}
	p.Status = copyStatus(st.ds.Status)
	if ok = st.collision == nil; ok {
		st.writeRevisions(&p, st.history)
	} else {
		p = st.writeCollision(st.history)
	}
	for _, r := range st.revisions { // of several with the template, the one that stays
		hash, _ := revision.RevisionHash(r)
		gone := slices.ContainsFunc(p.Actions, func(a Action) bool { d, ok := a.(DeleteRevision); return ok && d.Name == r.Name })
		if bytes.Equal(r.Data, st.ds.Template.Data) && hash == st.version.Hash && !gone {
			name = r.Name
		}
	}
	for _, i := range st.old {
		old = append(old, st.revisions[i].Name)
	}
	return p, name, st.version.Hash, old, ok, nil
}

func CleanUpOnly(s Snapshot, now time.Time, opts Options) (Plan, error) {
	st, _, err := prepare(s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	p := Plan{Status: copyStatus(st.ds.Status)}
	st.writeUnused(&p, st.unused())
	return p, nil
}

func CompareAge(a, b *Pod) int { return compareAge(a, b) }
