// SPDX-License-Identifier: Apache-2.0

package world

import (
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// WantedArgo returns the Rollout of Argo that is rolled out.
func (b *Beginning) WantedArgo() cluster.ArgoRollout {
	if len(b.Applied) > 0 {
		return b.Applied[0].(cluster.ArgoRollout)
	}
	return *b.argo()
}

// BeginArgo lets it be a Rollout of Argo. One with the name that ends with [Next] is applied, if there is to be
// any, whose template has the hash that is given, unless that is "".
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

// ArgoBounds returns within which bounds pods of a Rollout are changed.
func ArgoBounds(r *argo.Rollout) rollout.Budget {
	n := orOne(r.Replicas)
	quarter := func(limit rollout.IntOrPercent) rollout.IntOrPercent {
		if limit == (rollout.IntOrPercent{}) {
			return rollout.Percent(25)
		}
		return limit
	}
	if r.BlueGreen != nil || r.Routing != nil { // the old pods stay until the new ones have the requests
		return rollout.Budget{Replicas: n, Surge: n}
	}
	return rollout.Resolve(n, quarter(r.MaxSurge), quarter(r.MaxUnavailable))
}
