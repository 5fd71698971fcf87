// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/apiserver"
)

// A quiet counts repeated events that change nothing: ticks of autoscalers and planners, and
// retries of failed requests. Once all of them have happened without progress, they will never
// change anything.
type quiet struct {
	n        int
	progress int64 // before them
}

// again returns the number of entries of the agenda that repeat.
func again(a *agenda.Agenda) int {
	return a.Pending(agenda.Tick) + a.Pending(agenda.Poll) + a.Pending(agenda.Retry)
}

// performed counts an entry of the agenda. Its effect is visible when the next one is counted.
func (q *quiet) performed(s *apiserver.Server, why agenda.Reason) {
	progress := s.Progress()
	if progress != q.progress || why != agenda.Tick && why != agenda.Poll && why != agenda.Retry {
		q.n, q.progress = 0, progress
		return
	}
	q.n++
}

// rests reports whether no entry of the agenda will change anything.
func (q *quiet) rests(s *apiserver.Server) bool {
	n := again(s.Agenda)
	return s.Err() == nil && s.Trouble.Calm() && n > 0 && s.Agenda.Len() == n && s.Progress() == q.progress && q.n >= n
}

// errNoRest is the error of controllers that do not come to rest.
var errNoRest = errors.New("no rest")

// A rest counts the steps of controllers while no time passes. Such steps must end, but controllers
// may undo each other's writes forever.
type rest struct {
	at    time.Time // since when no time has passed
	steps int       // since then
	most  int       // pods at once since then

	// A burst is a series of steps without an entry of the agenda between them. Steps that create
	// pods do not count, because Config.MaxPods limits them.
	inBurst    bool
	burstSteps int
	created    int // pods so far
	limit      int // of burstSteps; 0 until many steps have been made
	objects    int // when the burst began
	pods       int // when the burst began
}

// The maximum number of steps: a constant, and some for each object and each pod.
const (
	manySteps     = 10_000
	stepsOfObject = manySteps / 100
	stepsOfPod    = 10
)

// beginBurst begins a burst, if none is under way.
func (r *rest) beginBurst(s *apiserver.Server) {
	if r.inBurst {
		return
	}
	r.inBurst, r.burstSteps, r.limit = true, 0, 0
	r.created, r.objects, r.pods = s.Pods.Created(), objects(s), s.Pods.Len()
}

// stepped counts a step, and ends the world if that was one too many.
func (r *rest) stepped(s *apiserver.Server) {
	if now := s.Agenda.Now(); now.After(r.at) { // requests may take time
		r.at, r.steps, r.most, r.inBurst = now, 0, 0, false
	}
	r.steps++
	r.most = max(r.most, s.Pods.Len())
	if n := s.Pods.Created(); n == r.created {
		r.burstSteps++
	} else {
		r.created = n
	}
	if r.steps > manySteps && (r.burstTooLong(s) || r.steps > manySteps+manySteps/10*(objects(s)+r.most)) {
		s.Fail(fmt.Errorf("%w at %v", errNoRest, r.at))
	}
}

// burstTooLong reports whether a burst has too many steps.
func (r *rest) burstTooLong(s *apiserver.Server) bool {
	if r.burstSteps > manySteps && r.limit == 0 {
		r.limit = manySteps + stepsOfObject*r.objects + stepsOfPod*(r.pods+wanted(s))
	}
	return r.limit > 0 && r.burstSteps > r.limit
}

// objects returns the number of objects of controllers, without pods.
func objects(s *apiserver.Server) int {
	return s.ReplicaSets.Len() + s.ReplicationControllers.Len() + s.Deployments.Len() + s.DaemonSets.Len() + s.Sets.Len() + s.Objects.Len() + s.Nodes.Len() + s.Rollouts.Len() + s.ArgoRollouts.Len()
}

// wanted returns the sum of the wanted pods of all workloads; Deployments count twice.
func wanted(s *apiserver.Server) (n int) {
	for _, d := range s.Deployments.All() {
		n += wantedBy(d.Replicas)
	}
	for _, t := range s.ReplicaTables() {
		for _, rs := range t.All() {
			n += wantedBy(rs.Replicas)
		}
	}
	for _, o := range s.Sets.All() {
		n += wantedBy(o.Replicas)
	}
	for _, o := range s.ArgoRollouts.All() {
		n += wantedBy(o.Replicas)
	}
	return min(n+s.DaemonSets.Len()*s.Nodes.Len(), 16*mostWanted)
}

// mostWanted limits the counted pods of one object. No world has more pods.
const mostWanted = 1 << 20

func wantedBy(replicas *int32) int {
	if replicas == nil {
		return 1
	}
	return max(0, min(int(*replicas), mostWanted))
}
