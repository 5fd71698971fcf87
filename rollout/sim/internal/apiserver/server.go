// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"fmt"
	"reflect"
	"time"

	"github.com/kplan-go/kplan/rollout/sim/internal/agenda"
	"github.com/kplan-go/kplan/rollout/sim/internal/store"
	"github.com/kplan-go/kplan/rollout/sim/internal/trouble"
)

// A Server is an API server with its store.
type Server struct {
	*store.Store
	Agenda  *agenda.Agenda
	Trouble *trouble.Source
	Quotas  *Quotas
	Budgets *Budgets
	// Meanwhile lets time pass while a request is under way; nil lets none.
	Meanwhile func()
	// Grace is how long a pod takes to end; nil means no time.
	Grace func(*store.Pod) time.Duration
	// Trace is called with a line for each plan and each write, if it is not nil.
	Trace func(string)
	Plans int // that controllers have made
	// Refused is the message with which the last pod of an owner was refused, by the UID of the owner.
	Refused map[string]string

	repeating bool
	err       error
}

// Err is the first error that has ended the world, nil if none has.
func (s *Server) Err() error { return s.err }

// Fail ends the world, if there is an error.
func (s *Server) Fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// Create stores a new object under its name, and gives it a UID if it has none.
func Create[T any](s *Server, t *store.Table[T], r Request, o *T) (*T, Answer) {
	m := t.Meta(o)
	if t.Entry(*m.Name) != nil {
		return nil, s.answered(Exists)
	}
	switch {
	case m.UID == nil:
	case *m.UID == "":
		*m.UID = s.NewUID()
	default:
		s.Taken(*m.UID)
	}
	return t.Insert(r.cause(), o).Now, Done
}

// Update applies a function to a copy of an object and stores it. The function replaces maps and
// slices, and does not write to them.
func Update[T any](s *Server, t *store.Table[T], r Request, change func(*T)) (*T, Answer) {
	e, a := lookup(t, &r)
	if a == Done && r.Version != "" && s.Trouble.Strikes(trouble.Conflict, 0.1) {
		s.Trouble.Count(trouble.WrittenBetween)
		touched := *e.Now
		t.Replace(store.Cause{By: store.Monkey, Verb: store.Update}, e, &touched)
		a = Conflict
	}
	if a != Done {
		return nil, s.answered(a)
	}
	o := *e.Now
	change(&o)
	t.Replace(r.cause(), e, &o)
	return &o, Done
}

// Same reports whether two objects are equal, so that replacing one with the other changes nothing.
func Same[T any](a, b T) bool { return reflect.DeepEqual(a, b) }

// Remove takes an object out of the store.
func Remove[T any](s *Server, t *store.Table[T], r Request) Answer {
	e, a := lookup(t, &r)
	if a != Done {
		return s.answered(a)
	}
	t.Remove(r.cause(), e)
	return Done
}

// Delete deletes an object of a kind without finalizers. A pod takes time to end.
func (s *Server) Delete(k store.Kind, r Request) Answer {
	switch k {
	case store.KindDeployment:
		return Remove(s, &s.Deployments, r)
	case store.KindReplicaSet, store.KindReplicationController:
		return Remove(s, s.ReplicaTable(k.String()), r)
	case store.KindDaemonSet:
		return Remove(s, &s.DaemonSets, r)
	case store.KindSet:
		return Remove(s, &s.Sets, r)
	case store.KindArgoRollout:
		return Remove(s, &s.ArgoRollouts, r)
	case store.KindNode:
		return Remove(s, &s.Nodes, r)
	case store.KindRevision:
		return Remove(s, &s.Revisions, r)
	case store.KindPod:
		return s.DeletePod(r)
	}
	return Remove(s, &s.Objects, r)
}

// lookup returns the place of the object of a request.
func lookup[T any](t *store.Table[T], r *Request) (*store.Entry[T], Answer) {
	e := t.Entry(r.Name)
	if e == nil {
		return nil, NotFound
	}
	return e, r.met(t.Meta(e.Now))
}

// answered counts an answer that is not success.
func (s *Server) answered(a Answer) Answer {
	switch {
	case a == Conflict:
		s.Trouble.Count(trouble.AnsweredConflict)
	case a == Exists:
		s.Trouble.Count(trouble.AnsweredExists)
	case a == NotFound || a == Invalid:
		s.Trouble.Count(trouble.AnsweredNotFound)
	case a.Is(Forbidden) || a.Is(Refused):
		s.Trouble.Count(trouble.AnsweredForbidden)
	}
	return a
}

// Tracef writes a line about an event, if tracing is on.
func (s *Server) Tracef(format string, args ...any) {
	if s.Trace != nil {
		s.Trace(fmt.Sprintf("%v %d ", s.Agenda.Now().Sub(agenda.Epoch), s.Version()) + fmt.Sprintf(format, args...))
	}
}
