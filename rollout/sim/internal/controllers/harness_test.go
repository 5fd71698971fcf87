// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"hash/fnv"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/control"
	"github.com/kplan-go/kplan/rollout/sim/internal/life"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
	"github.com/kplan-go/kplan/rollout/sim/scheduler"
)

// A harness is a small world: a server, pods that live, and the controllers that a test needs.
type harness struct {
	*Env
	t    testing.TB
	list []*control.Controller
}

// newHarness returns a world whose pods are ready after ten seconds, and take five to end.
func newHarness(t testing.TB, seed uint64, rates trouble.Rates, makers ...func(*Env, int) *control.Controller) *harness {
	s, a := store.New(), &agenda.Agenda{}
	a.Advance(agenda.Epoch)
	server := &apiserver.Server{Store: s, Agenda: a, Trouble: trouble.New(seed, rates)}
	server.Quotas, server.Budgets = apiserver.NewQuotas(s, nil, 1000), apiserver.NewBudgets(s, nil)
	times := cluster.Times{Ready: cluster.Exactly(10 * time.Second), End: cluster.Exactly(5 * time.Second)}
	h := &harness{t: t, Env: &Env{Server: server, Life: life.New(server, life.Config{Times: times, Place: byName})}}
	for _, f := range makers {
		h.list = append(h.list, f(h.Env, 0))
	}
	return h
}

// byName chooses a node by the name of a pod, so that nodes have unlike numbers of pods.
func byName(p scheduler.Pod, n *scheduler.Nodes) string {
	sum := fnv.New32()
	sum.Write([]byte(p.Name))
	return n.At(int(sum.Sum32() % uint32(n.Len()))).Name
}

// step lets the first controller work that has work, or time pass. It reports false if there is
// nothing to do.
func (h *harness) step() bool {
	for _, c := range h.list {
		if c.Step() {
			return true
		}
	}
	if h.Agenda.Len() == 0 {
		return false
	}
	h.Agenda.Perform()
	return true
}

// goesOn is step, but a controller that sees the past looks again when there is nothing else to do. It
// reports false if all have seen all.
func (h *harness) goesOn() bool {
	if h.step() {
		return true
	}
	h.Agenda.Advance(h.Agenda.Now().Add(time.Second))
	return slices.ContainsFunc(h.list, func(c *control.Controller) bool { return c.Lag() > 0 })
}

// settle lets happen what does, and calls a function after each step.
func (h *harness) settle(after ...func()) {
	h.t.Helper()
	for range 100_000 {
		more := h.step()
		require.NoError(h.t, h.Err())
		for _, f := range after {
			f()
		}
		if !more {
			return
		}
	}
	require.Fail(h.t, "it does not settle")
}

// heal ends the faults.
func (h *harness) heal() {
	h.Trouble.Heal()
	h.Life.Heal()
	for _, c := range h.list {
		c.Heal()
	}
}

// put stores a new object, or changes the stored one.
func put[T any](h *harness, t *store.Table[T], name string, change func(*T)) {
	h.t.Helper()
	r := apiserver.By(store.User, name)
	if t.Entry(name) == nil {
		o := new(T)
		*t.Meta(o).Name = name
		change(o)
		apiserver.Create(h.Server, t, r, o)
		return
	}
	_, a := apiserver.Update(h.Server, t, r, change)
	require.Equal(h.t, apiserver.Done, a)
}
