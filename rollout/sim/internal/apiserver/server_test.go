// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// TestRequests: preconditions hold, versions rise, and readers keep what they have read.
func TestRequests(t *testing.T) {
	s := &Server{Store: store.New(), Agenda: &agenda.Agenda{}, Trouble: trouble.New(1, trouble.Rates{})}
	create := func() (*store.Pod, Answer) {
		p := &store.Pod{}
		p.Name = "p"
		return Create(s, &s.Pods, By(store.User, "p"), p)
	}
	p, a := create()
	require.Equal(t, Done, a)
	require.Equal(t, []string{"sim-1", "1"}, []string{p.UID, p.ResourceVersion})
	_, a = create()
	require.Equal(t, Exists, a)
	change := func(name, uid, version string) Answer {
		r := By(store.User, name)
		r.UID, r.Version = uid, version
		return s.ChangePod(r, func(p *store.Pod) { p.Ready = !p.Ready })
	}
	require.Equal(t, NotFound, change("q", "", ""))
	require.Equal(t, Invalid, change("p", "sim-2", ""))
	require.Equal(t, Conflict, change("p", "sim-1", "7"))
	require.EqualValues(t, 1, s.Version(), "nothing was written")
	before := s.Pods.All()
	require.Equal(t, Done, change("p", "sim-1", "1"))
	require.Equal(t, Conflict, change("p", "", "1"))
	require.False(t, before[0].Ready)
	require.True(t, s.Pods.All()[0].Ready)
	require.Equal(t, Done, Remove(s, &s.Pods, By(store.User, "p")))
	require.Equal(t, NotFound, Remove(s, &s.Pods, By(store.User, "p")))
	require.Equal(t, []int{2, 1, 3}, []int{s.Trouble.Counts[trouble.AnsweredConflict], s.Trouble.Counts[trouble.AnsweredExists], s.Trouble.Counts[trouble.AnsweredNotFound]})
}
