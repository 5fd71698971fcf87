// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"maps"
	"slices"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/selector"
)

// Evict deletes a pod if all budgets that select it allow that.
func (s *Server) Evict(r Request) Answer {
	p := s.Pods.Get(r.Name)
	if p == nil {
		return s.answered(NotFound)
	}
	if s.Budgets.Against(p) != nil {
		return s.answered(Refused)
	}
	r.Stage = store.Evicted
	return s.DeletePod(r)
}

// Budgets refuse evictions. Each knows the pods that it selects, so that an eviction looks only at
// the pods of its budgets, not at all pods.
type Budgets struct {
	store *store.Store
	list  []*budget
	// To find the budgets of a pod: by one label of their selector, or by namespace if the selector
	// has none.
	labelled   map[label][]*budget
	unlabelled map[string][]*budget
}

type label struct{ namespace, key, value string }

// A budget is a PodDisruptionBudget with its pods.
type budget struct {
	cluster.Budget
	selector selector.Selector
	pods     map[string]bool // by name
}

// NewBudgets returns budgets for the pods of a store.
func NewBudgets(s *store.Store, list []cluster.Budget) *Budgets {
	b := &Budgets{store: s}
	s.Pods.Watch(b.told)
	b.set(list)
	return b
}

// List returns the budgets.
func (b *Budgets) List() (list []cluster.Budget) {
	for _, o := range b.list {
		list = append(list, o.Budget)
	}
	return list
}

// Put adds a budget, or replaces the budget with the same name.
func (b *Budgets) Put(o cluster.Budget) {
	list := slices.DeleteFunc(b.List(), func(of cluster.Budget) bool { return of.Name == o.Name })
	b.set(append(list, o))
}

func (b *Budgets) set(list []cluster.Budget) {
	b.list, b.labelled, b.unlabelled = nil, map[label][]*budget{}, map[string][]*budget{}
	for _, o := range list {
		added := &budget{Budget: o, pods: map[string]bool{}}
		b.list = append(b.list, added)
		of, err := selector.FromLabelSelector(o.Selector)
		if o.Selector == nil || err != nil {
			continue // it selects no pods
		}
		added.selector = of
		within := Namespace(o.Name)
		if keys := slices.Sorted(maps.Keys(o.Selector.MatchLabels)); len(keys) > 0 {
			l := label{within, keys[0], o.Selector.MatchLabels[keys[0]]}
			b.labelled[l] = append(b.labelled[l], added)
		} else {
			b.unlabelled[within] = append(b.unlabelled[within], added)
		}
	}
	for _, p := range b.store.Pods.All() {
		b.told(nil, p)
	}
}

// told updates the pods of each budget after an event.
func (b *Budgets) told(old, p *store.Pod) {
	if len(b.list) == 0 || old != nil && p != nil && maps.Equal(old.Labels, p.Labels) {
		return
	}
	if old != nil {
		b.each(old, func(o *budget) { delete(o.pods, old.Name) })
	}
	if p != nil {
		b.each(p, func(o *budget) { o.pods[p.Name] = true })
	}
}

// each calls a function for each budget that selects a pod, in no order.
func (b *Budgets) each(p *store.Pod, f func(*budget)) {
	within := Namespace(p.Name)
	for _, o := range b.unlabelled[within] {
		if o.selector.Matches(p.Labels) {
			f(o)
		}
	}
	for key, value := range p.Labels {
		for _, o := range b.labelled[label{within, key, value}] {
			if o.selector.Matches(p.Labels) {
				f(o)
			}
		}
	}
}

// Against returns the error of the first budget, in the order of their names, that does not allow
// the eviction of a pod; nil if all do. Budgets do not guard pods that have not started, have
// ended, or are being deleted.
func (b *Budgets) Against(p *store.Pod) error {
	if p.Phase == podorder.Pending || p.Phase == "" || !p.Active() {
		return nil
	}
	var refusing []string
	b.each(p, func(o *budget) {
		if !b.allows(o, p.Ready) {
			refusing = append(refusing, o.Name)
		}
	})
	if len(refusing) == 0 {
		return nil
	}
	return fmt.Errorf("budget %s", slices.Min(refusing))
}

// allows reports whether enough pods stay healthy without one. A pod that is not ready may also go
// if the healthy pods are just enough, unless no pod has to be healthy. Unless minAvailable is a
// number, a budget sums the sizes of the owners of its pods, and allows nothing if one has no size.
func (b *Budgets) allows(o *budget, ready bool) bool {
	healthy, wanted, owners := int32(0), int32(0), map[any]bool{}
	own := !o.MinAvailable.IsZero() && !o.MinAvailable.IsPercent()
	for name := range o.pods {
		p := b.store.Pods.Get(name)
		if p.Ready && p.Active() {
			healthy++
		}
		switch size, sized := b.expected(p, owners); {
		case own:
			wanted++
		case !sized:
			return false
		default:
			wanted += size
		}
	}
	least := wanted
	switch unset := (rollout.IntOrPercent{}); {
	case o.MinAvailable != unset:
		least = o.MinAvailable.OfUp(wanted)
	case o.MaxUnavailable != unset:
		least = wanted - o.MaxUnavailable.OfUp(wanted)
	}
	if least = max(0, least); !ready && least > 0 && healthy >= least {
		return true
	}
	return wanted > 0 && healthy > least
}

// expected returns how many pods a budget counts for a pod: the size of its owner for the first pod
// of that owner, and 0 for the others and without an owner. It reports false if the owner has no
// size, as a DaemonSet, or is gone.
func (b *Budgets) expected(p *store.Pod, owners map[any]bool) (size int32, sized bool) {
	if p.ControllerUID == "" {
		return 0, true
	}
	owner, size := b.owner(p)
	switch {
	case owner == nil || size < 0:
		return 0, false
	case owners[owner]:
		return 0, true
	}
	owners[owner] = true
	return size, true
}

// owner returns the workload that decides about the number of pods, and its wanted replicas; nil if
// there is no such workload.
func (b *Budgets) owner(p *store.Pod) (any, int32) {
	if rs := b.store.ReplicaSetOf(p); rs != nil {
		if d := b.store.Deployments.Get(rs.ControllerName); d != nil && d.UID == rs.ControllerUID {
			return d, orOne(d.Replicas)
		}
		return rs, orOne(rs.Replicas)
	}
	if o := b.store.Sets.Get(p.ControllerName); o != nil && o.UID == p.ControllerUID {
		return o, o.DesiredReplicas()
	}
	return nil, 0
}

func orOne(n *int32) int32 {
	if n == nil {
		return 1
	}
	return *n
}
