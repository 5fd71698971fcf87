// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/kplan-go/kplan/internal/verify/conformance/upstream"
	"github.com/kplan-go/kplan/internal/verify/random"
)

// A difference is one intended difference between the outcomes O of passes P. All fields
// but since and near must be set.
type difference[P, O any] struct {
	name string
	// since is the first release, of 1.x, in which upstream does otherwise.
	since int
	// reason is why the plans differ, and where that is documented.
	reason string
	// leaf lists the paths in the outcome that may differ. An empty path is the whole:
	// where there is no plan, or where upstream was asked again with another input.
	leaf []string
	// from recognises the difference: from the case and from upstream's outcome, never from ours.
	from func(P) bool
	// to returns the required outcome on our side, from the case and from upstream. It must equal
	// upstream's outcome except for the leaf.
	to func(P) O
	// near lists outcomes that are almost the required one, in addition to all with one value
	// changed, see changed. None of them may be taken for intended.
	near []mistake[O]
	// elsewhere plants the difference where nothing differs: there it is a mistake. It returns
	// false where it cannot be planted.
	elsewhere func(P, *O) bool
}

// ofRelease leaves out the rows of later releases than the one that is linked.
func ofRelease[P, O any](rows []difference[P, O]) []difference[P, O] {
	return slices.DeleteFunc(rows, func(d difference[P, O]) bool { return d.since > upstream.Minor })
}

// A mistake changes an outcome into one that is wrong. It returns false if it cannot.
type mistake[O any] struct {
	name  string
	plant func(*O) bool
}

// A comparison is a pass with an outcome on each side.
type comparison[P, O any] interface {
	sides() (upstream, ours *O)
	// clone returns a pass with sides that can be replaced.
	clone() P
}

func equal[O any](a, b *O) bool {
	return reflect.DeepEqual(a, b) || gocmp.Equal(*a, *b, cmpopts.EquateEmpty())
}

// explain returns the names of the intended differences that turn upstream's outcome into ours:
// none if nothing differs, one, or up to four at once. Otherwise it returns the difference.
func explain[P comparison[P, O], O any](rows []difference[P, O], p P) (names []string, diff string) {
	theirs, ours := p.sides()
	if equal(theirs, ours) {
		return nil, ""
	}
	for n := range 4 {
		apply(rows, p, n+1, func(applied []string, outcome *O) bool {
			if equal(outcome, ours) {
				names = applied
			}
			return names == nil
		})
		if names != nil {
			return names, ""
		}
	}
	diff = gocmp.Diff(*theirs, *ours, cmpopts.EquateEmpty()) + " "
	apply(rows, p, 1, func(applied []string, outcome *O) bool {
		diff += fmt.Sprintf("\nwith %q:\n%s", applied[0], gocmp.Diff(*outcome, *ours, cmpopts.EquateEmpty()))
		return true
	})
	return nil, diff
}

// apply calls yield with the outcomes of applying n rows to upstream's outcome, one after the
// other, until yield returns false.
func apply[P comparison[P, O], O any](rows []difference[P, O], p P, n int, yield func([]string, *O) bool) bool {
	for i, row := range rows {
		if !row.from(p) {
			continue
		}
		q := p.clone()
		theirs, _ := q.sides()
		before := *theirs
		*theirs = row.to(q)
		proceed := func(names []string, outcome *O) bool {
			proceeds := yield(append([]string{row.name}, names...), outcome)
			if !proceeds {
				if outside := row.outside(&before, theirs); outside != "" {
					panic(fmt.Sprintf("the difference %q changes %s, which is not its leaf", row.name, outside))
				}
			}
			return proceeds
		}
		if n > 1 && !apply(rows[i+1:], q, n-1, proceed) || n == 1 && !proceed(nil, theirs) {
			return false
		}
	}
	return true
}

// intended returns whether an outcome is taken for intended in a pass which each of some sets of
// rows explains. Outcomes of fewer rows of such a set are left out: an outcome closer to upstream
// is no mistake.
func intended[P comparison[P, O], O any](rows []difference[P, O], p P, sets ...[]string) func(*O) bool {
	theirs, _ := p.sides()
	list := []O{*theirs}
	for n := range 4 {
		apply(rows, p, n+1, func(applied []string, outcome *O) bool {
			if !slices.ContainsFunc(sets, func(set []string) bool { return partOf(applied, set) }) {
				list = append(list, *outcome)
			}
			return true
		})
	}
	return func(o *O) bool {
		return slices.ContainsFunc(list, func(other O) bool { return equal(o, &other) })
	}
}

// partOf reports whether a set of rows has all of some rows, and more.
func partOf(applied, set []string) bool {
	foreign := func(name string) bool { return !slices.Contains(set, name) }
	return len(applied) < len(set) && !slices.ContainsFunc(applied, foreign)
}

// backAgain returns the sets of rows that, one after the other, restore upstream's outcome. The
// outcome of the first row alone is half of the way: for example a changed time makes two pods
// equal, and then their order in the list decides between them as before.
func backAgain[P comparison[P, O], O any](rows []difference[P, O], p P) (sets [][]string) {
	theirs, _ := p.sides()
	for n := range 2 {
		apply(rows, p, n+2, func(applied []string, outcome *O) bool {
			if equal(outcome, theirs) {
				sets = append(sets, applied)
			}
			return true
		})
	}
	return sets
}

// outside returns a path that differs and does not belong to the leaf, or "".
func (d *difference[P, O]) outside(a, b *O) string {
	for _, path := range differing(a, b) {
		if !slices.ContainsFunc(d.leaf, func(leaf string) bool {
			return leaf == "" || path == leaf || strings.HasPrefix(path, leaf+".")
		}) {
			return path
		}
	}
	return ""
}

// differing returns the paths at which two outcomes differ, without indices.
func differing[O any](a, b *O) []string {
	r := &paths{}
	gocmp.Equal(*a, *b, cmpopts.EquateEmpty(), gocmp.Reporter(r))
	return r.found
}

// paths collects the paths of differences.
type paths struct {
	path  gocmp.Path
	found []string
}

func (r *paths) PushStep(s gocmp.PathStep) { r.path = append(r.path, s) }
func (r *paths) PopStep()                  { r.path = r.path[:len(r.path)-1] }
func (r *paths) Report(result gocmp.Result) {
	if !result.Equal() {
		r.found = append(r.found, r.path.String())
	}
}

// A rowCount says how often a row has applied, and how often each neighbour was
// planted.
type rowCount struct {
	applied, elsewhere int
	planted            map[string]int
}

// A judgement compares passes and counts the rows that explain them.
type judgement[P comparison[P, O], O any] struct {
	rows  []difference[P, O]
	count map[string]*rowCount
	equal int
}

func newJudgement[P comparison[P, O], O any](rows []difference[P, O]) *judgement[P, O] {
	j := &judgement[P, O]{rows: rows, count: map[string]*rowCount{}}
	for _, row := range rows {
		j.count[row.name] = &rowCount{planted: map[string]int{}}
	}
	return j
}

const (
	changedPasses  = 5  // per row in which every value is changed
	plantedPasses  = 50 // per row in which its neighbours are planted
	elsewhereEvery = 64 // of the passes without a difference
	eachValue      = "each value changed"
)

// pass compares one pass. The problem is an unexplained difference, or a planted mistake that is
// taken for intended.
func (j *judgement[P, O]) pass(p P) (names []string, problem string) {
	names, diff := explain(j.rows, p)
	switch {
	case diff != "":
		return nil, diff
	case len(names) == 0:
		j.equal++
		return nil, j.plantElsewhere(p)
	}
	for i := range j.rows {
		row := &j.rows[i]
		if c := j.count[row.name]; slices.Contains(names, row.name) && problem == "" {
			if c.applied++; c.applied <= plantedPasses {
				problem = j.plantNear(p, row, c, names)
			}
		}
	}
	return names, problem
}

// judgePass compares a pass, and fails for an unintended difference. The rows must be the same in
// every call.
func judgePass[P interface {
	comparison[P, O]
	report(string) string
}, O any](t random.T, c *caseCounts, rows []difference[P, O], p P) {
	if c.judgement == nil {
		j := newJudgement(rows)
		c.judgement, c.applied = j, j.met
	}
	names, problem := c.judgement.(*judgement[P, O]).pass(p)
	if problem != "" {
		t.Fatal(p.report(problem))
	}
	for _, name := range names {
		c.differences[name]++
	}
}

// plantNear plants the neighbours of a row in a pass that it explains.
func (j *judgement[P, O]) plantNear(p P, row *difference[P, O], c *rowCount, names []string) string {
	theirs, ours := p.sides()
	forgiven := intended(j.rows, p, names)
	for _, n := range row.near {
		wrong := copied(*ours)
		if !n.plant(&wrong) || equal(ours, &wrong) || equal(theirs, &wrong) {
			continue
		}
		c.planted[n.name]++
		if forgiven(&wrong) {
			return fmt.Sprintf("%q forgives its neighbour %q", row.name, n.name)
		}
	}
	if c.applied > changedPasses {
		return ""
	}
	for _, wrong := range changed(*ours) {
		if equal(ours, &wrong.outcome) || equal(theirs, &wrong.outcome) { // then it is no difference
			continue
		}
		c.planted[eachValue]++
		if forgiven(&wrong.outcome) {
			return fmt.Sprintf("%q forgives another value of %s", row.name, wrong.path)
		}
	}
	return ""
}

// plantElsewhere plants the differences of the rows in a pass in which nothing differs.
func (j *judgement[P, O]) plantElsewhere(p P) string {
	if j.equal%elsewhereEvery != 0 {
		return ""
	}
	_, ours := p.sides()
	forgiven := intended(j.rows, p, backAgain(j.rows, p)...)
	for i := range j.rows {
		row := &j.rows[i]
		if row.elsewhere == nil {
			continue
		}
		wrong := copied(*ours)
		if !row.elsewhere(p, &wrong) || equal(ours, &wrong) {
			continue
		}
		j.count[row.name].elsewhere++
		if forgiven(&wrong) {
			return fmt.Sprintf("%q is forgiven where it does not apply", row.name)
		}
	}
	return ""
}

// met fails for a row that says too little or never applied, and for a neighbour that was
// never planted.
func (j *judgement[P, O]) met(t testing.TB, c *caseCounts) {
	for i := range j.rows {
		row := &j.rows[i]
		if row.name == "" || row.reason == "" || len(row.leaf) == 0 || row.from == nil || row.to == nil {
			t.Errorf("%s: the difference %d, %q, does not say all of reason, leaf, from and to", c.name, i, row.name)
		}
		n := j.count[row.name]
		c.planted = append(c.planted, fmt.Sprintf("planted near %q: %v; elsewhere: %d", row.name, n.planted, n.elsewhere))
		if replayed() || t.Failed() || flagged("rapid.checks") {
			continue
		}
		if n.applied == 0 {
			t.Errorf("%s: the difference %q has not applied", c.name, row.name)
		}
		for _, near := range append(row.near, mistake[O]{name: eachValue}) {
			if n.planted[near.name] == 0 {
				t.Errorf("%s: the neighbour %q of %q was not planted", c.name, near.name, row.name)
			}
		}
		if row.elsewhere != nil && n.elsewhere == 0 {
			t.Errorf("%s: %q was not planted where it does not apply", c.name, row.name)
		}
	}
}
