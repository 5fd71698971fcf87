// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"strings"

	"github.com/kplan-go/kplan/internal/sim"
)

// limits are the quotas, and what counts for them.
type limits struct {
	quotas   []Quota
	pods     map[string]int  // by namespace
	finished map[string]bool // pods that do not count, by UID
	full     map[string]bool // namespaces in which somebody waits
	freed    func()          // lets those try again
}

func newLimits(quotas []Quota) *limits {
	return &limits{quotas: quotas, pods: map[string]int{}, finished: map[string]bool{}, full: map[string]bool{}}
}

// countPod counts the pods of a namespace that have not finished.
func (l *limits) countPod(h *sim.Happened) {
	within := namespaceOf(h.Name)
	switch {
	case h.Verb == sim.Create:
		l.pods[within]++
	case h.Stage == sim.Failed, h.Verb == sim.Remove && !l.finished[h.UID]:
		l.pods[within]--
		if l.full[within] {
			l.full[within] = false
			l.freed()
		}
	}
	if h.Stage == sim.Failed {
		l.finished[h.UID] = true
	} else if h.Verb == sim.Remove {
		delete(l.finished, h.UID)
	}
}

// allows reports whether a quota lets the namespace of a name have a pod more.
func (l *limits) allows(name string) bool {
	within := namespaceOf(name)
	for _, q := range l.quotas {
		if q.Namespace == within && l.pods[within] >= q.Pods {
			l.full[within] = true
			return false
		}
	}
	return true
}

// namespaceOf is the part of a name before the slash.
func namespaceOf(name string) string {
	before, _, found := strings.Cut(name, "/")
	if !found {
		return ""
	}
	return before
}
