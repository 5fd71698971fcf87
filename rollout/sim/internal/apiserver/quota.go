// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"slices"
	"strings"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// Quotas refuse pods beyond the number that a namespace may have. Finished pods do not count.
type Quotas struct {
	List []cluster.Quota
	// Most is how many pods there may be in all namespaces together.
	Most int

	pods map[string]int // by namespace
	all  int            // pods, with finished ones
}

// NewQuotas returns quotas of the pods of a store.
func NewQuotas(s *store.Store, list []cluster.Quota, most int) *Quotas {
	q := &Quotas{List: list, Most: most, pods: map[string]int{}}
	s.Pods.Watch(func(old, p *store.Pod) {
		q.count(old, -1)
		q.count(p, 1)
	})
	return q
}

func (q *Quotas) count(p *store.Pod, n int) {
	if p == nil {
		return
	}
	if q.all += n; !p.Finished() {
		q.pods[Namespace(p.Name)] += n
	}
}

// Allow reports whether the namespace of a pod may have one more.
func (q *Quotas) Allow(pod string) bool {
	within := Namespace(pod)
	for i := range q.List {
		if l := &q.List[i]; l.Namespace == within && q.pods[within] >= l.Pods {
			return false
		}
	}
	return true
}

// Put adds a quota, in the place of the quota of its namespace.
func (q *Quotas) Put(l cluster.Quota) {
	q.List = append(slices.DeleteFunc(slices.Clone(q.List), func(o cluster.Quota) bool { return o.Namespace == l.Namespace }), l)
}

// TooMany reports whether there are more pods than a world may have.
func (q *Quotas) TooMany() bool { return q.all > q.Most }

// Pods is how many pods there are, with finished ones.
func (q *Quotas) Pods() int { return q.all }

// Namespace is the part of a name before the slash, "" if it has none.
func Namespace(name string) string {
	if before, _, found := strings.Cut(name, "/"); found {
		return before
	}
	return ""
}
