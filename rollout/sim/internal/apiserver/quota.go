// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"maps"
	"slices"
	"strings"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// Quotas count the usage of the pods of namespaces. forbid.go refuses pods beyond a quota.
type Quotas struct {
	// Most is the maximum number of pods in all namespaces together.
	Most int
	// TemplateOf returns the template of a pod; nil means that pods use nothing.
	TemplateOf func(*store.Pod) cluster.Template
	// Agenda has the time; nil if no pod is ever overdue.
	Agenda *agenda.Agenda

	store     *store.Store
	resources map[string]int       // the place of each in Needs and Limits
	within    map[string][]*quota  // by namespace, in the order of their names
	all       int                  // pods, with finished ones
	late      map[string]*lateness // of pods that do not end, by UID
}

// A quota is a ResourceQuota with its usage.
type quota struct {
	cluster.Quota
	of []counted // in the order of their names
}

// A counted is a resource of a quota that pods can use, with its usage.
type counted struct {
	name   string
	what   what
	place  int    // in Needs or Limits, -1 for none
	unset  string // the key in Template.Unset, "" if containers need not set it
	others int64  // usage by pods outside the store
	used   int64  // usage by pods in the store
}

// The subject of a resource of a quota.
type what uint8

const (
	nothing what = iota
	pods         // that have not finished
	objects      // pods that have finished as well
	requests
	limits
)

// NewQuotas returns an empty set of quotas for the pods of a store, with the names of the resources
// in templates.
func NewQuotas(s *store.Store, resources []string, most int) *Quotas {
	q := &Quotas{Most: most, store: s, resources: map[string]int{}, within: map[string][]*quota{}, late: map[string]*lateness{}}
	for i, name := range resources {
		q.resources[name] = i
	}
	s.Pods.Watch(q.told)
	return q
}

// Put adds quotas. A quota replaces the one with the same name, and keeps its usage by others.
func (q *Quotas) Put(list ...cluster.Quota) {
	var added []*quota
	within := map[string][]*quota{}
	for _, o := range list {
		of := &quota{Quota: o, of: q.counted(o.Hard)}
		added, within[Namespace(o.Name)] = append(added, of), append(within[Namespace(o.Name)], of)
	}
	q.awaitAll(within)
	q.recount(within)
	for _, of := range added {
		q.put(of)
	}
}

func (q *Quotas) put(added *quota) {
	list := q.within[Namespace(added.Name)]
	i, found := slices.BinarySearchFunc(list, added.Name, func(of *quota, name string) int { return strings.Compare(of.Name, name) })
	for j := range added.of {
		r := &added.of[j]
		r.others = max(0, added.Used[r.name]-r.used)
		if found {
			r.others = max(r.others, list[i].othersOf(r.name))
		}
	}
	if found {
		list[i] = added
	} else {
		q.within[Namespace(added.Name)] = slices.Insert(list, i, added)
	}
}

// othersOf returns the usage of a resource by pods outside the store.
func (of *quota) othersOf(resource string) int64 {
	for _, r := range of.of {
		if r.name == resource {
			return r.others
		}
	}
	return 0
}

// counted returns the resources of a quota that pods can use.
func (q *Quotas) counted(hard map[string]int64) (list []counted) {
	for _, name := range slices.Sorted(maps.Keys(hard)) {
		if c := q.resource(name); c.what != nothing {
			list = append(list, c)
		}
	}
	return list
}

// resource returns the subject of a resource of a quota.
func (q *Quotas) resource(name string) counted {
	switch name {
	case "pods":
		return counted{name: name, what: pods}
	case "count/pods":
		return counted{name: name, what: objects}
	}
	c, prefix := counted{name: name, what: requests}, "requests."
	of, limited := strings.CutPrefix(name, "limits.")
	if limited {
		c.what, prefix = limits, "limits."
	}
	of = strings.TrimPrefix(of, "requests.")
	place, known := q.resources[of]
	switch {
	case of == "cpu" || of == "memory":
		c.unset = prefix + of
	case !known:
		return counted{}
	}
	if c.place = place; !known {
		c.place = -1
	}
	return c
}

// List returns the quotas in the order of their names, with their usage.
func (q *Quotas) List() (list []cluster.Quota) {
	for _, within := range slices.Sorted(maps.Keys(q.within)) {
		for _, of := range q.within[within] {
			o := of.Quota
			if o.Used = maps.Clone(o.Used); o.Used == nil && len(of.of) > 0 {
				o.Used = map[string]int64{}
			}
			for _, r := range of.of {
				o.Used[r.name] = r.others + r.used
			}
			list = append(list, o)
		}
	}
	return list
}

// Recount counts all pods again, after their templates have changed.
func (q *Quotas) Recount() { q.recount(q.within) }

func (q *Quotas) recount(within map[string][]*quota) {
	if len(within) == 0 {
		return
	}
	for _, list := range within {
		for _, of := range list {
			for i := range of.of {
				of.of[i].used = 0
			}
		}
	}
	for _, p := range q.store.Pods.All() {
		for _, of := range within[Namespace(p.Name)] {
			q.count(of, p, 1)
		}
	}
}

// told updates the usage after an event.
func (q *Quotas) told(old, p *store.Pod) {
	switch {
	case old == nil:
		q.all++
	case p == nil:
		q.all--
	case old.Template == p.Template && old.Finished() == p.Finished():
		return
	}
	for _, of := range q.within[Namespace(either(old, p).Name)] {
		q.count(of, old, -1)
		q.count(of, p, 1)
	}
	if p == nil {
		delete(q.late, old.UID)
	}
}

// count adds the usage of a pod to a quota, or subtracts it.
func (q *Quotas) count(of *quota, p *store.Pod, sign int64) {
	if p == nil {
		return
	}
	t, ended := q.template(p), p.Finished() || q.overdue(p)
	if !inScope(of.Scopes, &t, q.resources) {
		return
	}
	for i := range of.of {
		if r := &of.of[i]; !ended || r.what == objects {
			r.used += sign * r.takes(&t)
		}
	}
}

// takes returns the amount of a resource that an unfinished pod of a template uses.
func (c *counted) takes(t *cluster.Template) int64 {
	switch c.what {
	case pods, objects:
		return 1
	case limits:
		return amountAt(t.Limits, c.place)
	}
	return amountAt(t.Needs, c.place)
}

func (q *Quotas) template(p *store.Pod) (t cluster.Template) {
	if q.TemplateOf != nil {
		t = q.TemplateOf(p)
	}
	return t
}

// TooMany reports whether there are more pods than the world allows.
func (q *Quotas) TooMany() bool { return q.all > q.Most }

// Pods returns the number of pods, including finished ones.
func (q *Quotas) Pods() int { return q.all }

// Namespace is the part of a name before the slash, "" if it has none.
func Namespace(name string) string {
	if before, _, found := strings.Cut(name, "/"); found {
		return before
	}
	return ""
}

// amountAt returns an amount of a list, 0 beyond its end.
func amountAt(amounts []int64, i int) int64 {
	if 0 <= i && i < len(amounts) {
		return amounts[i]
	}
	return 0
}

func either(a, b *store.Pod) *store.Pod {
	if a != nil {
		return a
	}
	return b
}
