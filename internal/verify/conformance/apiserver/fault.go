// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"hash/fnv"
	"net"
	"net/http"
	"syscall"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// A Class is a way in which a call fails.
type Class string

// The classes of failures.
const (
	NotFound     Class = "404"
	Conflict     Class = "409"
	Invalid      Class = "422"
	Quota        Class = "403 quota"
	TooMany      Class = "429"
	Internal     Class = "500"
	Timeout      Class = "504"
	TimeoutAfter Class = "504, but carried out"
	LostBefore   Class = "connection lost before"
	LostAfter    Class = "connection lost after"
	Terminating  Class = "403 namespace terminating"
	Exists       Class = "409 already exists" // for creations
)

// Classes are all classes.
var Classes = []Class{NotFound, Conflict, Invalid, Quota, TooMany, Internal, Timeout, TimeoutAfter, LostBefore, LostAfter, Terminating, Exists}

// Outcomes without a failure, for tests of the following calls.
const (
	Dropped Class = "dropped" // not carried out, but answered as a success
	Done    Class = "done"    // carried out; later rules do not apply
)

// CarriedOut reports whether the call takes effect in spite of the error.
func (c Class) CarriedOut() bool { return c == TimeoutAfter || c == LostAfter || c == Done }

// Unanswered reports whether the caller cannot know if the call took effect.
func (c Class) Unanswered() bool {
	return c == TimeoutAfter || c == LostAfter || c == Timeout || c == LostBefore
}

// errLost is the error of client-go when a connection breaks before the response arrives.
var errLost error = &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}

// Err is the error of a call. It names no object, since the two sides name pods differently.
func (c Class) Err() error {
	status := metav1.Status{Status: metav1.StatusFailure, Message: "answered " + string(c)}
	switch c {
	case NotFound:
		status.Code, status.Reason = http.StatusNotFound, metav1.StatusReasonNotFound
	case Conflict:
		status.Code, status.Reason = http.StatusConflict, metav1.StatusReasonConflict
	case Exists:
		status.Code, status.Reason = http.StatusConflict, metav1.StatusReasonAlreadyExists
	case Invalid:
		status.Code, status.Reason = http.StatusUnprocessableEntity, metav1.StatusReasonInvalid
	case Quota:
		status.Code, status.Reason = http.StatusForbidden, metav1.StatusReasonForbidden
	case TooMany:
		status.Code, status.Reason = http.StatusTooManyRequests, metav1.StatusReasonTooManyRequests
	case Internal:
		status.Code, status.Reason = http.StatusInternalServerError, metav1.StatusReasonInternalError
	case Timeout, TimeoutAfter:
		status.Code, status.Reason = http.StatusGatewayTimeout, metav1.StatusReasonTimeout
	case Terminating:
		status.Code, status.Reason = http.StatusForbidden, metav1.StatusReasonForbidden
		status.Details = &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: corev1.NamespaceTerminatingCause, Message: "it is being terminated"}}}
	default:
		return errLost
	}
	return &apierrors.StatusError{ErrStatus: status}
}

// The purposes of calls, whatever their verbs.
const (
	Get     = "get"
	Adopt   = "adopt"
	Release = "release"
	Create  = "create"
	Write   = "write" // update or patch, except of the owners
	Delete  = "delete"
	Status  = "status"
)

// Operations are all purposes of calls.
var Operations = []string{Get, Adopt, Release, Create, Write, Delete, Status}

// An operation is a purpose and its object. A pod to be created has the name of its node.
type operation struct{ verb, kind, name string }

// A Rule lets calls for Verb with objects of Kind fail. It applies to names with hash modulo Of
// equal to Pick, to all names if Of is 0. Of the calls for one object, Count calls fail, beginning
// with number From.
type Rule struct {
	Verb, Kind  string
	Name        string // if not empty, the only object, instead of Of and Pick
	Of, Pick    uint32
	From, Count int
	Class       Class
	Void        bool // not carried out, even if the class says so
}

func (r Rule) matches(o operation, n int) bool {
	if r.Verb != o.verb || r.Kind != o.kind || n < r.From || n-r.From >= r.Count {
		return false
	}
	if r.Name != "" {
		return r.Name == o.name
	}
	h := fnv.New32a()
	h.Write([]byte(o.name))
	return h.Sum32()%max(1, r.Of) == r.Pick
}

// A Call is a recorded call.
type Call struct {
	Verb, Kind string
	Name       string // of the object, or for a created pod of its node
	Class      Class  // the failure that a rule asked for, or empty
	Changed    bool   // whether the call changed a stored object
	Err        error  // returned to the caller
}

// SetRules replaces the rules, and forgets the recorded calls.
func (s *Server) SetRules(rules []Rule) {
	s.rules, s.calls, s.seen = rules, nil, map[operation]int{}
}

// Calls returns the calls since the rules were set, in order.
func (s *Server) Calls() []Call { return s.calls }

// call runs do, unless a rule forbids it, and records the call. sent is the object in the request.
func (s *Server) call(o operation, sent Object, do func() (Object, error)) (Object, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.seen[o]
	s.seen[o]++
	class, void := Class(""), false
	for _, r := range s.rules {
		if r.matches(o, n) {
			class, void = r.Class, r.Void
			break
		}
	}
	var result Object
	var err error
	before := s.version
	if class == "" || class.CarriedOut() && !void {
		result, err = do()
	}
	if result != nil {
		result = copyOf(result)
	}
	if s.Written != nil && o.verb == Write && result != nil {
		s.Written(result)
	}
	switch class {
	case "", Done:
	case Dropped:
		result = sent
	default:
		result, err = nil, class.Err()
	}
	s.calls = append(s.calls, Call{Verb: o.verb, Kind: o.kind, Name: o.name, Class: class, Changed: s.version != before, Err: err})
	return result, err
}
