// SPDX-License-Identifier: Apache-2.0

package sim_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// Property: what nobody wakes has nothing to do. To look at everything again whenever time is about to pass
// changes nothing, whatever pods have lost their controller, or what it selects them by.
func TestNothingIsMissed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		u := updatings.Draw(t, "updating")
		fates := rapid.SliceOfN(rapid.IntRange(0, 9), 20, 20).Draw(t, "fates")
		run := func(all bool) cluster.Snapshot {
			w, err := sim.New(cluster.Snapshot{}, sim.Config{Seed: u.Seed, Times: u.Times})
			require.NoError(t, err)
			server, _, crew := w.Inside()
			settle := func(within time.Duration) {
				for until := w.Now().Add(within); ; {
					require.NoError(t, w.Run(w.Now()))
					at, more := server.Agenda.Next()
					if all && (!more || at.After(w.Now())) {
						for _, c := range crew.Running() {
							c.Resync()
						}
						require.NoError(t, w.Run(w.Now()))
						at, more = server.Agenda.Next()
					}
					if !more || at.After(until) {
						break
					}
					require.NoError(t, w.Run(at))
				}
			}
			require.NoError(t, w.Put(u.Old))
			settle(time.Hour)
			next := u.New
			if u.Interrupt > 0 {
				require.NoError(t, w.Put(u.New))
				settle(u.Interrupt)
				next = u.Third
			}
			for i, p := range server.Pods.All() {
				if !p.DeletionTimestamp.IsZero() {
					continue // it only counts as terminating, until somebody looks
				}
				server.ChangePod(byUser(p.Name), func(p *store.Pod) {
					switch fates[i%20] {
					case 0:
						p.ControllerKind, p.ControllerName, p.ControllerUID = "", "", ""
					case 1:
						p.Labels = map[string]string{"app": "other"}
					case 2:
						p.Labels = server.ReplicaSets.All()[0].TemplateLabels
					}
				})
			}
			require.NoError(t, w.Put(next)) // no event of a pod without an owner would wake a Deployment
			settle(24 * time.Hour)
			return w.Snapshot()
		}
		require.Empty(t, cmp.Diff(run(false), run(true)))
	})
}
