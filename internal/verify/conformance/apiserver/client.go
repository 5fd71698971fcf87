// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"context"
	"fmt"
	"reflect"

	"github.com/kplan-go/kplan/kube"
)

// Client returns a client for the executor of plans.
func (s *Server) Client() kube.Client { return client{s} }

type client struct{ s *Server }

func (c client) Get(_ context.Context, o kube.Object) error {
	return answer(o)(c.s.callGet(KeyOf(o)))
}

func (c client) Do(_ context.Context, r kube.Request) error {
	o := r.Object
	switch r.Verb {
	case kube.VerbCreate:
		return answer(o)(c.s.callCreate(o))
	case kube.VerbUpdate:
		return answer(o)(c.s.callUpdate(o, r.Subresource == "status"))
	case kube.VerbPatch:
		return answer(o)(c.s.callPatch(KeyOf(o), r.Patch.Type, r.Patch.Data))
	case kube.VerbDelete:
		return c.s.callDelete(KeyOf(o), r.Options)
	}
	return fmt.Errorf("no such verb: %s", r.Verb)
}

// answer returns a function that stores the result of a successful call in o.
func answer(o Object) func(Object, error) error {
	return func(stored Object, err error) error {
		if err == nil {
			reflect.ValueOf(o).Elem().Set(reflect.ValueOf(stored).Elem())
		}
		return err
	}
}
