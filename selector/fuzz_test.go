package selector_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/internal/purity"
	"github.com/kplan-go/kplan/selector"
)

// FuzzParseMap: labels that can be read are written as they were read, and select
// themselves.
func FuzzParseMap(f *testing.F) {
	for _, text := range []string{"", "a=b", "a=b,c=", "a==b", "a", "=", "a=b,a=c", "example.com/a=b"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		labels, err := selector.ParseMap(text)
		if err != nil {
			require.ErrorIs(t, err, selector.ErrInvalid)
			return
		}
		again, err := selector.ParseMap(selector.FormatLabels(labels))
		if len(labels) == 0 {
			return // there is another text for none
		}
		require.NoError(t, err, "%v", labels)
		require.True(t, selector.EqualLabels(labels, again), "%v and %v", labels, again)
		require.False(t, selector.LabelsConflict(labels, again))
		require.Equal(t, labels, selector.MergeLabels(labels, again))
	})
}

// FuzzParseLabelSelector: what can be read selects the same in all its forms.
func FuzzParseLabelSelector(f *testing.F) {
	for _, text := range []string{"", "a=b", "a=b,a=c", "a in (b,c),!d", "a!=b", "a,b notin ()", "a>1"} {
		f.Add(text, "a=b,d=e")
	}
	f.Fuzz(func(t *testing.T, text, on string) {
		ls, err := selector.ParseLabelSelector(text)
		if err != nil {
			require.Nil(t, ls)
			require.ErrorIs(t, err, selector.ErrInvalid)
			return
		}
		compiled, err := selector.FromLabelSelector(ls)
		require.Equal(t, err == nil, selector.Validate(ls, "selector", selector.ValidateOptions{}) == nil)
		if err != nil {
			return
		}
		labels, err := selector.ParseMap(on)
		if err != nil {
			return
		}
		again, err := selector.ParseLabelSelector(selector.Format(ls))
		if err != nil {
			return // of two values for one key only the text of one is left
		}
		other, err := selector.FromLabelSelector(again)
		require.NoError(t, err)
		require.Equal(t, compiled.Matches(labels), other.Matches(labels), "%q on %q", text, on)
	})
}

// read returns the selectors of a text, which semicolons separate, and false if there is
// a wrong one.
func read(text string) (list []selector.Selector, ok bool) {
	for part := range strings.SplitSeq(text, ";") {
		s, err := selector.Parse(part)
		if err != nil || len(list) == 6 {
			return nil, false
		}
		list = append(list, s)
	}
	return list, true
}

// FuzzOverlap: labels that are found are selected by both, implication holds on them,
// and what is disjoint has none in common.
func FuzzOverlap(f *testing.F) {
	for _, text := range []string{"a;b", "a=b;a=c", "a in (b,c);a!=b", "a>1;a<3", "a>1,a<2;a", "!a;a notin (b)", ";a"} {
		f.Add(text, "a=b")
	}
	f.Fuzz(func(t *testing.T, text, on string) {
		list, ok := read(text)
		if !ok || len(list) != 2 {
			return
		}
		a, b := list[0], list[1]
		labels, ok := selector.Overlap(a, b)
		require.Equal(t, !ok, selector.Disjoint(a, b))
		require.Equal(t, ok, !selector.Disjoint(b, a), "whichever comes first")
		require.False(t, ok && !(a.Matches(labels) && b.Matches(labels)), "%q: both select %v", text, labels)
		counter, implies := selector.Implies(a, b)
		require.False(t, !implies && !(a.Matches(counter) && !b.Matches(counter)), "%q: %v", text, counter)
		_, back := selector.Implies(b, a)
		require.Equal(t, implies && back, selector.Equivalent(a, b))
		if given, err := selector.ParseMap(on); err == nil {
			both := a.Matches(given) && b.Matches(given)
			require.False(t, both && !ok, "%q: both select %v", text, given)
			require.Equal(t, both, selector.And(a, b).Matches(given))
			require.False(t, implies && a.Matches(given) && !b.Matches(given), "%q: %v", text, given)
		}
	})
}

// FuzzConflicts: the pairs are those that overlap, in order.
func FuzzConflicts(f *testing.F) {
	for _, text := range []string{"a;b;c", "a=b;a=c;a=d", "a=b;a=b;!a", ";;", "app=x,a;app=x,b;app=y"} {
		f.Add(text, "a=b")
	}
	f.Fuzz(func(t *testing.T, text, created string) {
		list, ok := read(text)
		if !ok {
			return
		}
		labels, _ := selector.ParseMap(created)
		var controllers []selector.Controller
		for i, s := range list {
			controllers = append(controllers, selector.Controller{Owner: selector.Owner{Namespace: "ns", Name: fmt.Sprint(i), UID: fmt.Sprint("u", i), Selector: s}, TemplateLabels: labels})
		}
		var want, got []string
		for i := range list {
			for k := i + 1; k < len(list); k++ {
				if _, ok := selector.Overlap(list[i], list[k]); ok {
					want = append(want, fmt.Sprint(i, k))
				}
			}
		}
		for _, c := range selector.Conflicts(controllers) {
			got = append(got, fmt.Sprint(c.A, c.B))
			require.True(t, list[c.A].Matches(c.Labels) && list[c.B].Matches(c.Labels), "%q: %v", text, c)
		}
		require.Equal(t, want, got, "%q", text)
	})
}

// A family is an owner and children as they are written down.
type family struct {
	Owner    selector.Owner
	Text     string // the selector of the owner
	Children []selector.Child
}

func familySeeds(f *testing.F) {
	ours := selector.Child{Namespace: "ns", Name: "p", UID: "p", Labels: map[string]string{"a": "b"}, ControllerKind: "ReplicaSet", ControllerName: "rs", ControllerUID: "u"}
	lost, orphan, deleting := ours, ours, ours
	lost.Labels = nil
	orphan.ControllerKind, orphan.ControllerName, orphan.ControllerUID = "", "", ""
	deleting.Deleting, deleting.Finished = true, true
	owner := selector.Owner{APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: "ns", Name: "rs", UID: "u"}
	leaving := owner
	leaving.Deleting = true
	for _, h := range []family{{owner, "a=b", []selector.Child{ours, lost, orphan, deleting}}, {leaving, "a", []selector.Child{ours, lost, orphan}}, {owner, "!a", nil}} {
		text, err := json.Marshal(h)
		require.NoError(f, err)
		f.Add(text)
	}
}

func familyOf(text []byte) (h family, ok bool) {
	if json.Unmarshal(text, &h) != nil {
		return h, false
	}
	s, err := selector.Parse(h.Text)
	h.Owner.Selector = s
	return h, err == nil
}

// FuzzClassify: each child is in one list at most, the one that its decision says, and
// what upstream of old did is told in the same words.
func FuzzClassify(f *testing.F) {
	familySeeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		h, ok := familyOf(text)
		if !ok {
			return
		}
		claim := selector.Classify(&h.Owner, len(h.Children), at(h.Children))
		lists := map[selector.Verdict][]int{}
		for i := range h.Children {
			d := selector.Decide(&h.Owner, &h.Children[i])
			lists[d.Verdict] = append(lists[d.Verdict], i)
			require.NotEmpty(t, d.Reason)
		}
		require.Equal(t, lists[selector.Keep], claim.Keep)
		require.Equal(t, lists[selector.Adopt], claim.Adopt)
		require.Equal(t, lists[selector.Release], claim.Release)
		require.Equal(t, len(claim.Adopt)+len(claim.Release) > 0, claim.Changes())
		active := selector.ClassifyReplicas(&h.Owner, len(h.Children), at(h.Children))
		require.Subset(t, append([]int{-1}, claim.Keep...), active.Keep)
	})
}

// FuzzResolve: adoptions stand and fall with the live check; with all writes done a
// second pass has nothing to write.
func FuzzResolve(f *testing.F) {
	familySeeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		h, ok := familyOf(text)
		if !ok {
			return
		}
		claim := selector.Classify(&h.Owner, len(h.Children), at(h.Children))
		refused := selector.Resolve(&h.Owner, claim, at(h.Children), selector.LiveCheck{Err: errors.New("gone")})
		require.Len(t, refused.Failures, len(claim.Adopt))
		require.Len(t, refused.Actions, len(claim.Release))
		res := selector.Resolve(&h.Owner, claim, at(h.Children), selector.LiveCheck{OK: true})
		require.Len(t, res.Actions, len(claim.Adopt)+len(claim.Release))
		outcomes := make([]selector.Outcome, len(res.Actions))
		for i, a := range res.Actions {
			outcomes[i].Answer = selector.Done
			switch a := a.(type) {
			case selector.AdoptChild:
				h.Children[a.Child] = selector.Project(h.Children[a.Child], a)
			case selector.ReleaseChild:
				h.Children[a.Child] = selector.Project(h.Children[a.Child], a)
			}
		}
		claimed, err := selector.ApplyOutcome(res, outcomes)
		require.NoError(t, err)
		require.Len(t, claimed, len(claim.Keep)+len(claim.Adopt))
		again := selector.Classify(&h.Owner, len(h.Children), at(h.Children))
		require.False(t, h.Owner.UID != "" && again.Changes(), "%v", again)
	})
}

// A matching is a node selector and a node.
type matching struct {
	Selector *selector.NodeSelector `json:"selector"`
	Name     string                 `json:"name"`
	Labels   map[string]string      `json:"labels"`
}

// withNumbers returns the selector with 1 for each value of Gt and Lt that is no int64:
// validation leaves these to compilation.
func withNumbers(ns *selector.NodeSelector) (fixed *selector.NodeSelector, wrong int) {
	fixed = purity.Clone(ns)
	for i := range fixed.Terms {
		for _, e := range fixed.Terms[i].MatchExpressions {
			for k, v := range e.Values {
				_, err := strconv.ParseInt(v, 10, 64)
				if err != nil && (e.Operator == selector.Gt || e.Operator == selector.Lt) {
					e.Values[k] = "1"
					wrong++
				}
			}
		}
	}
	return fixed, wrong
}

// FuzzNodeMatcher: what is valid compiles but for the numbers of Gt and Lt, each of
// which is told, an example is selected, and a selector implies itself as far as can be
// told.
func FuzzNodeMatcher(f *testing.F) {
	for _, text := range []string{
		`{"selector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"zone","operator":"In","values":["a","b"]},{"key":"n","operator":"Gt","values":["3"]}]}]},"name":"n1","labels":{"zone":"a","n":"4"}}`,
		`{"selector":{"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"NotIn","values":["n1"]}]},{"matchExpressions":[{"key":"gpu","operator":"DoesNotExist"}]}]},"name":"n1"}`,
		`{"selector":{"nodeSelectorTerms":[{"matchExpressions":[{"key":"0","operator":"Gt","values":[""]},{"key":"0","operator":"Lt","values":["x"]}]}]}}`,
		`{"selector":{"nodeSelectorTerms":[{}]},"name":""}`, `{"selector":null}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var c matching
		if json.Unmarshal(text, &c) != nil {
			return
		}
		m, err := selector.CompileNodeSelector(c.Selector)
		if c.Selector != nil && selector.ValidateNodeSelector(c.Selector, "affinity", selector.ValidateOptions{}) == nil {
			fixed, wrong := withNumbers(c.Selector)
			_, none := selector.CompileNodeSelector(fixed)
			require.NoError(t, none)
			var all *selector.Error
			require.Equal(t, wrong > 0, errors.As(err, &all), "%v", err)
			require.False(t, wrong > 0 && len(all.Fields) != wrong, "%v", err)
		}
		matches := purity.Check(t, c, func(c matching) (bool, error) { return selector.NewNodeMatcher(c.Selector).Match(c.Name, c.Labels) })
		if err != nil {
			return
		}
		if example, ok := selector.SatisfiableNodes(m); ok {
			matched, err := m.Match(example.Name, example.Labels)
			require.True(t, matched && err == nil, "%s: %+v", text, example)
		} else {
			require.False(t, matches, "%s", text)
		}
		_, overlaps := selector.OverlapNodes(m, m)
		_, can := selector.SatisfiableNodes(m)
		require.Equal(t, can, overlaps)
		_, answer := selector.ImpliesNodes(m, m)
		require.NotEqual(t, selector.No, answer, "%s", text)
	})
}
