package selector_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/selector"
)

// The lists of Kubernetes 1.5.
func TestV15(t *testing.T) {
	o := selector.Owner{APIVersion: "v1", Kind: "ReplicationController", Namespace: "ns", Name: "rc", UID: "u1", Selector: parse(t, "a=b")}
	children := workedExample()
	for _, state := range []func(*selector.Child){
		func(c *selector.Child) { c.Finished = true },
		func(c *selector.Child) { c.Deleting = true },
	} {
		for _, c := range workedExample()[:4] {
			state(&c)
			children = append(children, c)
		}
	}
	claim := selector.ClassifyV15(&o, len(children), at(children))
	want := selector.ClaimV15{MatchesAndControlled: []int{2, 6}, MatchesNeedsController: []int{0, 5}, ControlledDoesNotMatch: []int{3}}
	require.Empty(t, cmp.Diff(want, claim), "inactive pods are in no list")

	actions := selector.ActionsV15(&o, claim, at(children))
	require.Len(t, actions, 3)
	require.Equal(t, `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ReplicationController","name":"rc","uid":"u1","controller":true}],"uid":"uid-p1"}}`, string(actions[0].Patch()))
	require.Equal(t, `{"metadata":{"uid":"uid-p4","ownerReferences":[{"$patch":"delete","uid":"u1"}]}}`, string(actions[2].Patch()), "releases last")

	done, boom := selector.Outcome{Answer: selector.Done}, errors.New("boom")
	tests := []struct {
		why      string
		outcomes []selector.Outcome
		managed  []int
		err      string
	}{
		{"all done: the adopted ones behind", []selector.Outcome{done, done, done}, []int{2, 6, 0, 5}, ""},
		{"a failed adoption is only left out", []selector.Outcome{{Answer: selector.Failed, Err: boom}, done, done}, []int{2, 6, 5}, ""},
		{"so is one of a pod that is gone", []selector.Outcome{done, {Answer: selector.NotFound}, done}, []int{2, 6, 0}, ""},
		{"a release may find the pod gone", []selector.Outcome{done, done, {Answer: selector.NotFound}}, []int{2, 6, 0, 5}, ""},
		{"or be invalid", []selector.Outcome{done, done, {Answer: selector.Invalid}}, []int{2, 6, 0, 5}, ""},
		{"a failed release ends the pass", []selector.Outcome{done, done, {Answer: selector.Failed, Err: boom}}, nil, "boom"},
		{"so does one that was not executed", []selector.Outcome{done, done}, nil, "the action was not executed"},
	}
	for _, tt := range tests {
		t.Run(tt.why, func(t *testing.T) {
			managed, err := selector.ApplyOutcomeV15(claim, actions, tt.outcomes)
			require.Equal(t, tt.managed, managed)
			if tt.err == "" {
				require.NoError(t, err)
				return
			}
			require.EqualError(t, err, tt.err)
		})
	}

	o.Deleting = true
	actions = selector.ActionsV15(&o, selector.ClassifyV15(&o, len(children), at(children)), at(children))
	require.Len(t, actions, 1, "nothing is adopted while the controller is being deleted, but p4 is released")
	require.Equal(t, "Released Pod ns/p4 (NoMatch)", actions[0].String())

	require.Equal(t, []int{0, 2, 4, 5, 6, 7}, selector.ManagedWithoutGC(&o, len(children), at(children)), "whoever owns them")
}

func controller(t testing.TB, name, text string, age int) selector.Controller {
	return selector.Controller{
		Owner:             selector.Owner{Kind: "ReplicaSet", Namespace: "ns", Name: name, UID: "uid-" + name, Selector: parse(t, text)},
		CreationTimestamp: time.Unix(int64(1000-age), 0),
	}
}

func TestRouting(t *testing.T) {
	c := selector.Child{Namespace: "ns", Name: "p", Labels: map[string]string{"k1": "v1", "k2": "v2"}}
	elsewhere, deleting := controller(t, "e", "k1=v1", 9), controller(t, "d", "k1=v1", 9)
	elsewhere.Owner.Namespace = "x"
	deleting.Owner.Deleting = true
	controllers := []selector.Controller{
		controller(t, "rc2", "k2=v2", 1),
		controller(t, "rc1", "k1=v1", 1),
		controller(t, "old", "k1", 5),
		controller(t, "other", "k1=x", 9),
		controller(t, "all", "", 9),
		elsewhere, deleting,
	}
	require.Equal(t, []int{6, 2, 1, 0}, selector.ControllersSelecting(&c, controllers), "oldest first, then by name; empty ones not at all")
	require.Equal(t, []int{2, 1, 0}, selector.WhoWouldAdopt(&c, controllers), "those being deleted do not")
	first, ok := selector.RouteV15(&c, controllers)
	require.True(t, ok)
	require.Equal(t, 6, first)

	bare := selector.Child{Namespace: "ns"}
	absent := []selector.Controller{controller(t, "a", "!k", 1)}
	require.Empty(t, selector.ControllersSelecting(&bare, absent), "nobody looks up a child without labels")
	require.Equal(t, []int{0}, selector.WhoWouldAdopt(&bare, absent), "though it matches")
	_, ok = selector.RouteV15(&bare, absent)
	require.False(t, ok)

	owned := c
	owned.ControllerUID = "uid-rc1"
	require.Empty(t, selector.WhoWouldAdopt(&owned, controllers), "a controlled child is nobody's to adopt")
	c.Deleting = true
	require.Empty(t, selector.WhoWouldAdopt(&c, controllers))

	same := []selector.Controller{controller(t, "a", "k1", 1), controller(t, "a", "k1", 1)}
	c.Deleting = false
	require.Equal(t, []int{0, 1}, selector.WhoWouldAdopt(&c, same), "the order is total")
}
