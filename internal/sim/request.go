// SPDX-License-Identifier: Apache-2.0

package sim

import (
	"errors"
	"fmt"
	"time"

	"github.com/kplan-go/kplan/selector"
)

// An answer is what the API server says to a request. The zero answer is success.
type answer uint8

const (
	done answer = iota
	conflict
	exists
	notFound
	forbidden // by quota
	invalid   // by a UID that differs
	timeout   // nobody knows what happened
)

func (a answer) String() string {
	return [...]string{"done", "conflict", "already exists", "not found", "forbidden", "invalid", "timeout"}[a]
}

// A precondition is what an object must be like for a write to happen. Empty members
// demand nothing.
type precondition struct{ uid, version string }

// met reports whether an object is what the precondition demands: done, if it is.
func (p *precondition) met(uid, version *string) answer {
	switch {
	case p.uid != "" && uid != nil && *uid != p.uid:
		return invalid
	case p.version != "" && version != nil && *version != p.version:
		return conflict
	}
	return done
}

// A request is a write that somebody asks for.
type request struct {
	by      Actor
	verb    Verb
	name    string
	known   int32 // one more than the number of the object with the name, if that is known
	pre     precondition
	action  fmt.Stringer
	fresh   bool
	expect  bool
	fixed   bool // the plan was made with all corrections
	planned time.Time
	plan    int
}

func by(r Role) request { return request{by: Actor{Role: r}, verb: Update, fresh: true} }

// goneToo is the answer to a deletion: what is gone already is as well as deleted.
func goneToo(a answer) answer {
	if a == notFound {
		return done
	}
	return a
}

// outcome is the answer as package replicaset knows it.
func outcome(a answer) selector.Outcome {
	switch a {
	case done:
		return selector.Outcome{Answer: selector.Done}
	case notFound:
		return selector.Outcome{Answer: selector.NotFound}
	case invalid:
		return selector.Outcome{Answer: selector.Invalid}
	}
	return selector.Outcome{Answer: selector.Failed, Err: errors.New(a.String())}
}
