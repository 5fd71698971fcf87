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
	// quotaResync is how often the quota controller counts all pods again, by default. It is not known when
	// it last did: a world takes the whole time.
	quotaResync = 5 * time.Minute
)

// A lateness is since when a pod does not count that should have ended.
type lateness struct {
	at    time.Time
	noted bool // whether quotas count it no longer
}

// Overdue notes a pod that should have ended and does not, as on a node that does not answer. Quotas no
// longer count it when its grace period has passed once more and they are counted again.
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

// awaitAll awaits the pods of namespaces that have got quotas.
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

// await lets quotas count a pod no longer once it is overdue.
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
