package daemonset

import (
	"bytes"
	"slices"
	"time"

	"github.com/kplan-go/kplan/revision"
)

// These give tests one step of a plan alone.

func prepare(s Snapshot, now time.Time, opts Options) (*state, Plan, bool, error) {
	st, err := admit(&s, now, opts)
	if err != nil {
		return nil, Plan{}, false, err
	}
	p := Plan{Status: copyStatus(st.ds.Status)}
	ok := st.construct(&p)
	st.group()
	p.Budget = Resolve(st.strategy, st.surge, st.maxUnavailable, st.desired)
	return st, p, ok, nil
}

func ManageOnly(s Snapshot, now time.Time, opts Options) (Plan, error) {
	st, p, _, err := prepare(s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	p.Actions, p.Holds = nil, nil
	st.manage(&p)
	return p, nil
}

func UpdateOnly(s Snapshot, now time.Time, opts Options) (Plan, error) {
	st, p, _, err := prepare(s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	p.Actions, p.Holds = nil, nil
	st.update(&p)
	return p, nil
}

func FilterOnly(s Snapshot, now time.Time, opts Options) ([]string, error) {
	st, p, _, err := prepare(s, now, opts)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, i := range st.updateKeys(&p) {
		names = append(names, st.keys[i].name)
	}
	return names, nil
}

// ConstructOnly returns the actions on revisions, the current hash and the name of the
// current revision.
func ConstructOnly(s Snapshot, now time.Time, opts Options) (p Plan, name, hash string, old []string, ok bool, err error) {
	st, p, ok, err := prepare(s, now, opts)
	if err != nil {
		return p, "", "", nil, false, err
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
	st, p, _, err := prepare(s, now, opts)
	if err != nil {
		return Plan{}, err
	}
	p.Actions, p.Holds = nil, nil
	st.cleanUp(&p)
	return p, nil
}
