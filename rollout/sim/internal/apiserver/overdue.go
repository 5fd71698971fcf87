// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"time"

	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

const (
	defaultGrace = 30 * time.Second
	// quotaResync is how often the quota controller counts all pods again, by default. The time of its
	// last count is unknown: a world takes the whole period.
	quotaResync = 5 * time.Minute
)

// A lateness is the time from which an overdue pod no longer counts.
type lateness struct {
	at    time.Time
	noted bool // whether quotas no longer count it
}

// Overdue notes a pod that should have ended but has not, for instance on a node that does not
// answer. Quotas no longer count it once its grace period has passed again and the quota controller
// has counted all pods again.
//
// It mirrors QuotaV1Pod of the quota evaluator of Kubernetes 1.37.
func (q *Quotas) Overdue(p *store.Pod) {
	if q.late[p.UID] != nil {
		return
	}
	grace := cmp.Or(q.template(p).EndWithin, defaultGrace)
	q.late[p.UID] = &lateness{at: p.DeletionTimestamp.Add(grace + quotaResync)}
	if len(q.within[Namespace(p.Name)]) > 0 {
		q.await(p)
	}
}

// overdue reports whether quotas no longer count a pod.
func (q *Quotas) overdue(p *store.Pod) bool {
	l := q.late[p.UID]
	return l != nil && l.noted
}

// awaitAll calls await for the pods of namespaces with new quotas.
func (q *Quotas) awaitAll(within map[string][]*quota) {
	if len(q.late) == 0 {
		return
	}
	for _, p := range q.store.Pods.All() {
		if within[Namespace(p.Name)] != nil {
			q.await(p)
		}
	}
}

// await makes quotas stop counting a pod once it is overdue.
func (q *Quotas) await(p *store.Pod) {
	l := q.late[p.UID]
	if l == nil || l.noted {
		return
	}
	note := func() {
		if now := q.store.Pods.Get(p.Name); q.late[p.UID] == l && !l.noted && now != nil {
			list := q.within[Namespace(p.Name)]
			for _, of := range list {
				q.count(of, now, -1)
			}
			l.noted = true
			for _, of := range list {
				q.count(of, now, 1)
			}
		}
	}
	if !l.at.After(q.Agenda.Now()) {
		note()
		return
	}
	q.Agenda.At(l.at, agenda.Life, note)
}
