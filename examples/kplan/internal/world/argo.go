// SPDX-License-Identifier: Apache-2.0

package world

import (
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// WantedArgo returns the wanted Rollout of Argo: the applied one, if there is one.
func (b *Beginning) WantedArgo() cluster.ArgoRollout {
	if len(b.Applied) > 0 {
		return b.Applied[0].(cluster.ArgoRollout)
	}
	return *b.argo()
}

// BeginArgo chooses a Rollout of Argo. If applied, the Rollout with the name suffix [Next] is
// applied to it; if hash returns a text, that becomes the hash of its template.
func (b *Beginning) BeginArgo(namespace, name string, applied bool, hash func(old *cluster.ArgoRollout) string) {
	b.begin(sim.KindArgoRollout, namespace, name)
	if applied {
		next, old := take(&b.ArgoRollouts, argoName, b.Name+Next), b.argo()
		next.Name, next.UID, next.Revision = old.Name, old.UID, old.Revision
		if h := hash(old); h != "" {
			next.TemplateHash = h
		}
		b.Applied = []any{next}
	}
	b.Template = b.WantedArgo().TemplateHash
}

// ArgoBounds returns the limits within which a Rollout changes its pods.
func ArgoBounds(r *argo.Rollout) rollout.Budget {
	n := orOne(r.Replicas)
	quarter := func(limit rollout.IntOrPercent) rollout.IntOrPercent {
		if limit == (rollout.IntOrPercent{}) {
			return rollout.Percent(25)
		}
		return limit
	}
	if r.BlueGreen != nil || r.Routing != nil { // old pods stay until the traffic has moved
		return rollout.Budget{Replicas: n, Surge: n}
	}
	return rollout.Resolve(n, quarter(r.MaxSurge), quarter(r.MaxUnavailable))
}
