// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"time"

	"github.com/kplan-go/kplan/podorder"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
)

// CreatePod stores a new pod, unless a limit range or a quota forbids it. Its life begins. If its
// template names a node, the pod is bound to that node already.
func (s *Server) CreatePod(r Request, p *store.Pod) (*store.Pod, Answer) {
	if why := s.Quotas.Forbids(p); why != "" {
		s.Tracef("%s may not create %s: %s", r.By, p.Name, why)
		if s.Refused == nil {
			s.Refused = map[string]string{}
		}
		s.Refused[p.ControllerUID] = why
		return nil, s.answered(Forbidden.saying(why))
	}
	delete(s.Refused, p.ControllerUID)
	p.UID, p.CreationTimestamp = "", s.Agenda.Now()
	p.Ready, p.Phase = false, podorder.Pending
	if p.NodeName == "" {
		p.NodeName = s.Quotas.template(p).NodeName
	}
	return Create(s, &s.Pods, r, p)
}

// DeletePod deletes a pod: its deletion timestamp is the time when it ends. A pod without a node,
// or a finished one, is gone at once, unless it is kept.
func (s *Server) DeletePod(r Request) Answer {
	e, a := lookup(&s.Pods, &r)
	if a != Done {
		return s.answered(a)
	}
	switch p := e.Now; {
	case (p.NodeName == "" || p.Finished()) && !p.Hold.Kept:
		r.Stage = store.Gone
		s.Pods.Remove(r.cause(), e)
	case p.DeletionTimestamp.IsZero():
		r.Verb, r.Stage = store.Delete, cmp.Or(r.Stage, store.Terminating)
		marked := *p
		marked.DeletionTimestamp = s.Agenda.Now().Add(s.grace(p))
		s.Pods.Replace(r.cause(), e, &marked)
	}
	return Done
}

// RemovePod removes a pod at once. A kept pod fails and stays.
func (s *Server) RemovePod(r Request) {
	e, a := lookup(&s.Pods, &r)
	switch {
	case a != Done:
		s.answered(a)
	case e.Now.Hold.Kept:
		failed, now := *e.Now, s.Agenda.Now()
		if failed.DeletionTimestamp.IsZero() {
			failed.DeletionTimestamp = now
		}
		if !failed.Finished() {
			failed.Phase, failed.Ready, failed.ReadySince = podorder.Failed, false, now
		}
		s.Pods.Replace(r.cause(), e, &failed)
	default:
		r.Stage = store.Gone
		s.Pods.Remove(r.cause(), e)
	}
}

// grace is how long a pod takes to end.
func (s *Server) grace(p *store.Pod) time.Duration {
	if s.Grace == nil {
		return 0
	}
	return s.Grace(p)
}

// ChangePod applies a function to a copy of a pod and stores it.
func (s *Server) ChangePod(r Request, change func(*store.Pod)) Answer {
	_, a := Update(s, &s.Pods, r, change)
	return a
}
