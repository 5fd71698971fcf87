// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

// TestLateWorlds: of a world in which a controller saw the past when its Rollout gave back what it
// has, everything else is checked at the end.
func TestLateWorlds(t *testing.T) {
	const late = "late"
	damages := map[string]struct {
		do   func(w *World)
		want string // "" if it is what nobody could have seen
	}{
		"nothing":       {do: func(*World) {}},
		"its batch":     {do: func(w *World) { w.leaveBatch(late) }},
		"its selection": {do: func(w *World) { w.store.services.all()[0].Selector = nil }},
		"another batch": {do: func(w *World) { w.leaveBatch("another") }, want: "batch release is left"},
		"annotation": {want: "annotation", do: func(w *World) {
			w.store.deployments.all()[0].Annotations = map[string]string{workload.AnnotationInProgress: "{}"}
		}},
		"service": {want: "service", do: func(w *World) {
			create(w, &w.store.services, by(User), &Service{Service: traffic.Service{Name: "web-canary", Selector: appWeb}})
		}},
		"ingress": {want: "2 ingresses", do: func(w *World) { create(w, &w.store.ingresses, by(User), &traffic.Ingress{Name: "web-canary"}) }},
		"route": {want: "route has rules", do: func(w *World) {
			rule := &w.store.routes.all()[0].Rules[0]
			rule.BackendRefs = append(rule.BackendRefs, traffic.BackendRef{Kind: "Service", Name: "web-canary"})
		}},
		"phase": {want: "rollout is Progressing", do: func(w *World) { w.store.rollouts.all()[0].Status.Phase = kruise.PhaseProgressing }},
	}
	for name, damage := range damages {
		t.Run(name, func(t *testing.T) {
			w := newRollouts(1, Faults{}, workload.Partition)
			require.NoError(t, w.Run(60))
			w.lateBatch, w.lateService = late, true
			damage.do(w)
			if damage.want == "" {
				require.NoError(t, w.checkRollouts())
				return
			}
			require.ErrorContains(t, w.checkRollouts(), damage.want)
		})
	}
}

func (w *World) leaveBatch(uid string) {
	create(w, &w.store.batchReleases, by(User), &BatchRelease{Release: batchrelease.Release{Name: "web", UID: uid}})
}
