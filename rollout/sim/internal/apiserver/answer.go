// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"errors"

	"github.com/kplan-go/kplan"
)

// An Answer is the answer of the API server to a request. The zero Answer is success. Compare
// answers with ==, or with [Answer.Is] to ignore their words.
type Answer struct {
	name  string
	words string // of this refusal, "" if its name says all
}

// The answers.
var (
	Done      = Answer{}
	Conflict  = Answer{name: "conflict"}
	Exists    = Answer{name: "already exists"}
	NotFound  = Answer{name: "not found"}
	Forbidden = Answer{name: "forbidden"}         // by a quota or a limit range
	Refused   = Answer{name: "too many requests"} // an eviction, by a budget
	Invalid   = Answer{name: "invalid"}           // the object has another UID
	Timeout   = Answer{name: "timeout"}           // the result is unknown
)

// saying returns the answer with a message.
func (a Answer) saying(words string) Answer {
	a.words = words
	return a
}

// Is reports whether two answers are the same, apart from their words.
func (a Answer) Is(b Answer) bool { return a.name == b.name }

// String is the words of the answer, or its name.
func (a Answer) String() string { return cmp.Or(a.words, a.name, "done") }

// Outcome returns the answer as an outcome of the planners.
func (a Answer) Outcome() kplan.Outcome {
	switch a {
	case Done:
		return kplan.Outcome{Answer: kplan.Done}
	case NotFound:
		return kplan.Outcome{Answer: kplan.NotFound}
	case Invalid:
		return kplan.Outcome{Answer: kplan.Invalid}
	}
	return kplan.Outcome{Answer: kplan.Failed, Err: errors.New(a.String())}
}

// OrGone is the answer to a deletion: an object that is gone already is deleted as well.
func (a Answer) OrGone() Answer {
	if a == NotFound {
		return Done
	}
	return a
}
