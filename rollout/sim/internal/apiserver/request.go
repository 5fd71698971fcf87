// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"

	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// A Request is a write by a client.
type Request struct {
	By   store.Role
	Verb store.Verb
	Name string
	UID  string // that the object must have, "" for any
	// Version is the resource version that the object must have, "" for any.
	Version string
	Action  fmt.Stringer // of a plan, or nil
	Stage   store.Stage  // the stage of the life of a pod that this write begins, or ""
}

// By returns an update of the named object by r that carries out no action of a plan.
func By(r store.Role, name string) Request { return Request{By: r, Verb: store.Update, Name: name} }

func (r *Request) cause() store.Cause {
	return store.Cause{By: r.By, Verb: r.Verb, Action: r.Action, Stage: r.Stage}
}

// met returns Done if an object meets the preconditions of the request, and otherwise the refusal.
func (r *Request) met(m store.Meta) Answer {
	switch {
	case r.UID != "" && m.UID != nil && *m.UID != r.UID:
		return Invalid
	case r.Version != "" && m.Version != nil && *m.Version != r.Version:
		return Conflict
	}
	return Done
}

// Ask sends a request over a network that may lose the request or its answer, or deliver the request
// twice. It returns the answer that the
// client gets.
func (s *Server) Ask(send func() Answer) Answer {
	if s.Meanwhile != nil {
		s.Meanwhile()
	}
	if !s.Trouble.Strikes(trouble.Request, 0.08) {
		return send()
	}
	switch s.Trouble.IntN(3) {
	case 0:
		s.Trouble.Count(trouble.RequestLost)
		return Timeout
	case 1:
		s.Trouble.Count(trouble.EffectWithoutAnswer)
		send()
		return Timeout
	}
	a := send()
	s.Trouble.Count(trouble.RequestRepeated)
	s.repeating = true
	send()
	s.repeating = false
	return a
}

// Repeating reports whether the current request is a repetition.
func (s *Server) Repeating() bool { return s.repeating }
