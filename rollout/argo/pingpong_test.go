// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/rollout/argo"
)

// turning lets two Services take turns.
func (w *world) turning(r argo.Routing) *world {
	w.s.Rollout.Routing, w.s.Ping, w.s.Pong = &r, &argo.Service{Name: "ping"}, &argo.Service{Name: "pong"}
	return w
}

// Services that take turns: the one whose turn it is selects the new pods as soon as they
// are wanted, and is the stable one behind the promotion. None that gets requests is ever
// pointed at other pods.
func TestPingPong(t *testing.T) {
	w := newWorld(t, 4, weight(50), pause(-1)).turning(argo.Routing{})
	w.run(false)
	require.Equal(t, argo.Ping, w.s.Rollout.Status.StablePingPong)
	require.Empty(t, w.s.Ping.Selector, "upstream leaves the first one to select all pods")
	w.check = func() {
		for _, to := range []argo.WeightDestination{w.led.Canary, w.led.Stable} {
			for _, s := range []*argo.Service{w.s.Ping, w.s.Pong} {
				if hash := s.Selector[argo.HashLabel]; to.Weight > 0 && s.Name == to.Service && hash != "" {
					require.Equal(t, to.Hash, hash)
				}
			}
		}
	}
	for i, hash := range []string{"v2", "v3", "v4"} {
		now, next := w.s.Ping, &w.s.Pong
		if i%2 == 1 {
			now, next = w.s.Pong, &w.s.Ping
		}
		w.s.Rollout.TemplateHash = hash
		w.run(false)
		require.Equal(t, hash, (*next).Selector[argo.HashLabel])
		require.Equal(t, []string{now.Name, (*next).Name}, []string{w.led.Stable.Service, w.led.Canary.Service})
		require.Equal(t, []int32{50, 50}, []int32{w.led.Stable.Weight, w.led.Canary.Weight})
		require.Empty(t, w.s.Rollout.Status.Weights.Canary.Service, "as upstream, the status names none")
		w.run(true)
		require.Equal(t, []argo.PingPong{argo.Pong, argo.Ping}[i%2], w.s.Rollout.Status.StablePingPong)
		require.Equal(t, []string{(*next).Name, now.Name}, []string{w.led.Stable.Service, w.led.Canary.Service})
		require.Equal(t, int32(100), w.led.Stable.Weight)
		require.Equal(t, hash+"=4", w.sizes())
	}
}

// An abort leads no request to the pods that are given up, and the same Service waits for
// the next update.
func TestPingPongAbort(t *testing.T) {
	w := newWorld(t, 4, weight(50), pause(-1)).turning(argo.Routing{})
	w.run(false)
	w.s.Rollout.TemplateHash = "v2"
	w.run(false)
	w.s.Rollout.Status.Abort = true
	w.run(false)
	require.Equal(t, argo.Ping, w.s.Rollout.Status.StablePingPong)
	require.Equal(t, []int32{100, 0}, []int32{w.led.Stable.Weight, w.led.Canary.Weight})
	require.Equal(t, "v1=4", w.sizes())
	require.Equal(t, "v2", w.s.Pong.Selector[argo.HashLabel])
	w.s.Rollout.TemplateHash = "v3"
	w.run(true)
	require.Equal(t, "v3", w.s.Pong.Selector[argo.HashLabel])
	require.Equal(t, argo.Pong, w.s.Rollout.Status.StablePingPong)
}

// Services that take turns are two.
func TestPingWithoutPong(t *testing.T) {
	w := newWorld(t, 1).turning(argo.Routing{})
	w.s.Pong = nil
	_, err := reconcile(w.s, now)
	require.ErrorContains(t, err, "Ping")
	require.ErrorIs(t, err, kplan.ErrInvalid)
}
