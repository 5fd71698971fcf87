// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"fmt"
	"reflect"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/base/apply"
	"github.com/kplan-go/kplan/replicaset"
	"github.com/kplan-go/kplan/revision"
	"github.com/kplan-go/kplan/rollout/argo"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/selector"
)

// A send sends a request. It has the preconditions of its creation, also if the network repeats it.
type send = func() apiserver.Answer

// An argoPass carries out one plan of a Rollout of Argo.
type argoPass struct {
	c       *argoController
	r       *cluster.ArgoRollout
	plan    argo.Plan
	version string                            // of the Rollout, as it was seen or written last
	sets    map[string]*replicaset.ReplicaSet // as they were seen or written last, by hash
	done    int
}

// next sends the next request.
func (p *argoPass) next() bool {
	c := p.c
	if p.done < len(p.plan.Actions) {
		a := p.plan.Actions[p.done]
		p.done++
		if c.Ask(p.request(a)) != apiserver.Done {
			c.Retry(p.r.Name)
			return false
		}
		return true
	}
	if !reflect.DeepEqual(p.plan.Status, p.r.Status) && c.Ask(p.statusRequest()) != apiserver.Done {
		c.Retry(p.r.Name)
		return false
	}
	c.Succeeded(p.r.Name)
	return false
}

func (p *argoPass) statusRequest() send {
	return p.write(store.UpdateStatus, nil, func(r *cluster.ArgoRollout) { r.Status = p.plan.Status })
}

// write returns the request that changes the Rollout, if it still is as the pass has seen or
// written it. Upstream patches its status unconditionally, and so may revert a request that a user
// has just made.
func (p *argoPass) write(verb store.Verb, a fmt.Stringer, f func(*cluster.ArgoRollout)) send {
	c := p.c
	request := c.Request(verb, p.r.Name, a)
	request.UID, request.Version = p.r.UID, p.version
	return func() apiserver.Answer {
		r, answer := apiserver.Update(c.Server, &c.ArgoRollouts, request, f)
		if answer == apiserver.Done {
			p.version = r.ResourceVersion
		}
		return answer
	}
}

// request returns the request of an action.
func (p *argoPass) request(action argo.Action) send {
	c := p.c
	switch a := action.(type) {
	case argo.CreateReplicaSet:
		return func() apiserver.Answer {
			rs, answer := apiserver.Create(c.Server, &c.ReplicaSets, c.Request(store.Create, a.Name, a), p.replicaSet(a))
			if answer == apiserver.Done {
				p.sets[a.Hash] = rs
			}
			return answer
		}
	case argo.ScaleReplicaSet:
		return p.writeSet(a.Hash, a, func(rs *replicaset.ReplicaSet) {
			rs.Replicas, rs.Generation = &a.To, rs.Generation+1
			rs.Annotations = apply.With(rs.Annotations, map[string]string{argoDesired: fmt.Sprint(a.Desired)})
		})
	case argo.DelayReplicaSet:
		return p.writeSet(a.Hash, a, func(rs *replicaset.ReplicaSet) { rs.Annotations = delayed(rs.Annotations, a.Until) })
	case argo.EvictPod:
		return func() apiserver.Answer { return c.Evict(c.Request(store.Delete, a.Name, a)) }
	case argo.SelectPods:
		return func() apiserver.Answer {
			_, answer := apiserver.Update(c.Server, &c.Services, c.Request(store.Update, a.Service, a), func(o *store.Service) {
				o.Selector = apply.With(o.Selector, map[string]string{a.Key: a.Value})
			})
			return answer
		}
	case argo.SetWeight: // who leads requests reads it in the status
		return func() apiserver.Answer { return apiserver.Done }
	}
	return p.write(store.Update, action, func(r *cluster.ArgoRollout) { // a route
		after, err := argo.Apply(argo.Snapshot{Routes: r.Routes}, action, c.Agenda.Now())
		c.Fail(err)
		r.Routes = after.Routes
	})
}

// delayed returns annotations with the instant at which a ReplicaSet is to lose its pods; without one
// if that is zero.
func delayed(annotations map[string]string, until time.Time) map[string]string {
	if until.IsZero() {
		return apply.Without(annotations, argoDeadline)
	}
	return apply.With(annotations, map[string]string{argoDeadline: until.UTC().Format(time.RFC3339)})
}

// writeSet returns the request that changes a ReplicaSet that still is as the pass has seen or written it.
func (p *argoPass) writeSet(hash string, a fmt.Stringer, f func(*replicaset.ReplicaSet)) send {
	c, seen := p.c, p.sets[hash]
	if seen == nil {
		return func() apiserver.Answer { return apiserver.NotFound }
	}
	r := c.Request(store.Update, seen.Name, a)
	r.UID, r.Version = seen.UID, seen.ResourceVersion
	return func() apiserver.Answer {
		rs, answer := apiserver.Update(c.Server, &c.ReplicaSets, r, f)
		if answer == apiserver.Done {
			p.sets[hash] = rs
		}
		return answer
	}
}

// replicaSet returns the one that an action creates.
func (p *argoPass) replicaSet(a argo.CreateReplicaSet) *replicaset.ReplicaSet {
	r := p.r
	labels := apply.With(r.TemplateLabels, map[string]string{argo.HashLabel: a.Hash})
	return &replicaset.ReplicaSet{
		Name: a.Name, Replicas: &a.Replicas, Generation: 1, MinReadySeconds: r.MinReadySeconds, CreationTimestamp: p.c.Agenda.Now(),
		Template: revision.Template{ID: a.Hash, Hash: a.Hash}, TemplateLabels: labels, Selector: selector.FromLabels(labels),
		ControllerKind: argoKind, ControllerName: r.Name, ControllerUID: r.UID,
		Annotations: map[string]string{argoRevision: strconv.FormatInt(a.Revision, 10), argoDesired: fmt.Sprint(a.Desired)},
	}
}
