// SPDX-License-Identifier: Apache-2.0

package claim_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/selector"
	"github.com/kplan-go/kplan/selector/algebra"
	"github.com/kplan-go/kplan/selector/claim"
)

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
		var controllers []claim.Controller
		for i, s := range list {
			controllers = append(controllers, claim.Controller{Owner: claim.Owner{Namespace: "ns", Name: fmt.Sprint(i), UID: fmt.Sprint("u", i), Selector: s}, TemplateLabels: labels})
		}
		var want, got []string
		for i := range list {
			for k := i + 1; k < len(list); k++ {
				if _, ok := algebra.Overlap(list[i], list[k]); ok {
					want = append(want, fmt.Sprint(i, k))
				}
			}
		}
		for _, c := range claim.Conflicts(controllers) {
			got = append(got, fmt.Sprint(c.A, c.B))
			require.True(t, list[c.A].Matches(c.Labels) && list[c.B].Matches(c.Labels), "%q: %v", text, c)
		}
		require.Equal(t, want, got, "%q", text)
	})
}

// A family is an owner and children as they are written down.
type family struct {
	Owner    claim.Owner
	Text     string // the selector of the owner
	Children []claim.Child
}

func familySeeds(f *testing.F) {
	ours := claim.Child{Namespace: "ns", Name: "p", UID: "p", Labels: map[string]string{"a": "b"}, ControllerKind: "ReplicaSet", ControllerName: "rs", ControllerUID: "u"}
	lost, orphan, deleting := ours, ours, ours
	lost.Labels = nil
	orphan.ControllerKind, orphan.ControllerName, orphan.ControllerUID = "", "", ""
	deleting.Deleting, deleting.Finished = true, true
	owner := claim.Owner{APIVersion: "apps/v1", Kind: "ReplicaSet", Namespace: "ns", Name: "rs", UID: "u"}
	leaving := owner
	leaving.Deleting = true
	for _, h := range []family{{owner, "a=b", []claim.Child{ours, lost, orphan, deleting}}, {leaving, "a", []claim.Child{ours, lost, orphan}}, {owner, "!a", nil}} {
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

// FuzzClassify: each child is in one list at most, the one that its decision says.
func FuzzClassify(f *testing.F) {
	familySeeds(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		h, ok := familyOf(text)
		if !ok {
			return
		}
		lists := claim.Classify(&h.Owner, len(h.Children), at(h.Children))
		byVerdict := map[claim.Verdict][]int{}
		for i := range h.Children {
			d := claim.Decide(&h.Owner, &h.Children[i])
			byVerdict[d.Verdict] = append(byVerdict[d.Verdict], i)
			require.NotEmpty(t, d.Reason)
		}
		require.Equal(t, byVerdict[claim.Keep], lists.Keep)
		require.Equal(t, byVerdict[claim.Adopt], lists.Adopt)
		require.Equal(t, byVerdict[claim.Release], lists.Release)
		require.Equal(t, len(lists.Adopt)+len(lists.Release) > 0, lists.Changes())
		active := claim.ClassifyActive(&h.Owner, len(h.Children), at(h.Children))
		require.Subset(t, append([]int{-1}, lists.Keep...), active.Keep)
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
		lists := claim.Classify(&h.Owner, len(h.Children), at(h.Children))
		refused := claim.Resolve(&h.Owner, lists, at(h.Children), claim.LiveCheck{Err: errors.New("gone")})
		require.Len(t, refused.Failures, len(lists.Adopt))
		require.Len(t, refused.Actions, len(lists.Release))
		res := claim.Resolve(&h.Owner, lists, at(h.Children), claim.LiveCheck{OK: true})
		require.Len(t, res.Actions, len(lists.Adopt)+len(lists.Release))
		outcomes := make([]kplan.Outcome, len(res.Actions))
		for i, a := range res.Actions {
			outcomes[i].Answer = kplan.Done
			switch a := a.(type) {
			case claim.AdoptChild:
				h.Children[a.Child] = claim.Project(h.Children[a.Child], a)
			case claim.ReleaseChild:
				h.Children[a.Child] = claim.Project(h.Children[a.Child], a)
			}
		}
		claimed, err := claim.ApplyOutcome(res, outcomes)
		require.NoError(t, err)
		require.Len(t, claimed, len(lists.Keep)+len(lists.Adopt))
		again := claim.Classify(&h.Owner, len(h.Children), at(h.Children))
		require.False(t, h.Owner.UID != "" && again.Changes(), "%v", again)
	})
}
