// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/selector/claim"
)

// A call is an action of a plan as a write, with all that an executor has to know of it. For
// each kind of plan one function lists the calls of its actions, such as podCall.
type call struct {
	Request
	err     error                       // why there is no request
	pod     func() (*corev1.Pod, error) // the object of a creation, if it is a pod
	count   int32                       // how often the request is made
	step    step
	adopts  bool                             // only while the owner exists
	uid     string                           // of an object to delete
	version string                           // that the object must have, "" for any
	guarded bool                             // after another write of the plan, the version that it left
	batch   func(made []kplan.Outcome) int32 // the size of the next batch of creations
}

// A step tells which calls are made together.
type step int

const (
	inTurn          step = iota // alone
	claims                      // adoptions and releases
	createsPods
	deletesPods
)

func creating(o Object) call {
	return call{Request: Request{Verb: VerbCreate, Object: o}, count: 1}
}

func creatingPods(count int32, pod func() (*corev1.Pod, error)) call {
	return call{Request: Request{Verb: VerbCreate}, pod: pod, count: count, step: createsPods}
}

func updating(o Object) call {
	return call{Request: Request{Verb: VerbUpdate, Object: o}, count: 1}
}

func patching(o Object, p Patch, err error) call {
	return call{Request: Request{Verb: VerbPatch, Object: o, Patch: p}, err: err, count: 1}
}

func deleting(o Object, uid, version string) call {
	return call{Request: Request{Verb: VerbDelete, Object: o}, uid: uid, count: 1}.guard(version)
}

func adopting(o Object, patch []byte) call {
	c := releasing(o, patch).guard("")
	c.adopts = true
	return c
}

func releasing(o Object, patch []byte) call {
	return patching(o, Patch{Type: types.StrategicMergePatchType, Data: patch}, nil).in(claims)
}

func failing(err error) call { return call{err: err, count: 1} }

func (c call) in(s step) call {
	c.step = s
	return c
}

// guard makes the version of the object a precondition.
func (c call) guard(version string) call {
	c.version, c.guarded = version, true
	return c
}

// request returns the write, with its preconditions.
func (c call) request() (r Request, err error) {
	r = c.Request
	switch {
	case c.err != nil:
		return Request{}, c.err
	case c.pod != nil:
		r.Object, err = c.pod()
	case r.Verb == VerbDelete:
		r.Options = convert.DeleteOptions(c.uid, c.version)
	case r.Verb == VerbPatch:
		r.Patch, err = versioned(r.Patch, nil, c.version)
	case r.Verb == VerbUpdate && c.version != "":
		r.Object.SetResourceVersion(c.version)
	}
	return r, err
}

// requests returns all writes.
func (c call) requests() (list []Request, err error) {
	for range c.count {
		r, err := c.request()
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

// A pass makes the calls of one plan.
type pass struct {
	Executor
	owner   claim.Owner
	fresh   Object            // the owner is read into it before the first adoption
	checked bool              // it has been read
	live    error             // why nothing can be adopted
	written map[string]string // the versions that writes of the plan have left, by [pass.key]
}

func (*pass) key(o Object) string { return Request{Object: o}.Resource() + "/" + o.GetName() }

// send makes a call, and remembers the version that it leaves.
func (x *pass) send(ctx context.Context, c call) kplan.Outcome {
	o := x.do(ctx, c)
	if o.Answer == kplan.Done && c.Verb != VerbDelete {
		x.written[x.key(c.Object)] = o.ResourceVersion
	}
	return o
}

// do makes a call. Several can be made at once.
func (x *pass) do(ctx context.Context, c call) kplan.Outcome {
	if c.guarded {
		if version, written := x.written[x.key(c.Object)]; written {
			c.version = version
		}
	}
	r, err := c.request()
	switch {
	case err != nil:
		return Outcome(err)
	case c.pod != nil:
		return x.createPod(ctx, r.Object.(*corev1.Pod))
	case r.Verb == VerbCreate:
		return x.create(ctx, r.Object)
	}
	o := Outcome(x.Client.Do(ctx, r))
	if o.Answer == kplan.Done && r.Verb != VerbDelete {
		o.ResourceVersion = r.Object.GetResourceVersion()
	}
	return o
}

// claim makes an adoption or a release, and reports whether the rest of the plan may follow.
func (x *pass) claim(ctx context.Context, c call) (o kplan.Outcome, ok bool) {
	if !c.adopts {
		o = x.send(ctx, c)
		return o, o.Released() == nil
	}
	if x.isLive(ctx) == nil {
		o = x.send(ctx, c)
	}
	return o, o.Adopted() == nil
}

// isLive asks the API server once whether the owner still exists and is not being deleted,
// since the owner may come from a stale cache. Before that it may adopt nothing.
func (x *pass) isLive(ctx context.Context) error {
	if !x.checked {
		err := x.Client.Get(ctx, x.fresh)
		x.live, x.checked = claim.CheckLive(&x.owner, Fresh(x.fresh, err)).Err, true
	}
	return x.live
}

// named returns the metadata of an object to patch or to delete.
func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}
