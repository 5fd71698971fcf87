// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"context"
	"encoding/json"
	"sync"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/selector/claim"
)

// A call is an action of a plan as a write, with all that an executor has to know of it. For
// each kind of plan one function lists the calls of its actions: deploymentCall, podCall and
// daemonSetCall.
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
	needs   string                           // the object that is not written, but needed
	batch   func(made []kplan.Outcome) int32 // the size of the next batch of creations
}

// A step tells which calls are made together.
type step int

const (
	inTurn          step = iota // alone
	claims                      // adoptions and releases
	claimsRevisions             // the same of revisions
	createsPods
	deletesPods
	withStatus // not at all: the write of the status does the same
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
		r.Patch, err = versioned(r.Patch, c.version)
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

// all makes calls concurrently and returns their outcomes in order.
func all(n int, call func(i int) kplan.Outcome) []kplan.Outcome {
	made := make([]kplan.Outcome, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			made[i] = call(i)
		}()
	}
	wg.Wait()
	return made
}

// versioned adds a resource version, unless it is "", to a patch, so that the API server
// rejects it with a conflict if the object has changed since it was read.
func versioned(p Patch, resourceVersion string) (Patch, error) {
	if resourceVersion == "" {
		return p, nil
	}
	object, metadata := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if err := json.Unmarshal(p.Data, &object); err != nil {
		return Patch{}, err
	}
	if object["metadata"] != nil {
		if err := json.Unmarshal(object["metadata"], &metadata); err != nil {
			return Patch{}, err
		}
	}
	// Strings, and values decoded from JSON, can always be encoded.
	metadata["resourceVersion"], _ = json.Marshal(resourceVersion)
	object["metadata"], _ = json.Marshal(metadata)
	p.Data, _ = json.Marshal(object)
	return p, nil
}

// The JSON of a merge patch, with the keys in a fixed order.
type (
	patchObject struct {
		Metadata patchMeta  `json:"metadata,omitzero"`
		Spec     *patchSpec `json:"spec,omitempty"`
	}
	patchMeta struct {
		UID         string            `json:"uid,omitempty"`
		Annotations map[string]string `json:"annotations,omitempty"`
		Labels      map[string]string `json:"labels,omitempty"`
	}
	patchSpec struct {
		Replicas        *int32 `json:"replicas,omitempty"`
		MinReadySeconds *int32 `json:"minReadySeconds,omitempty"`
		Paused          *bool  `json:"paused,omitempty"`
	}
)

// merging returns the merge patch of an object. If the UID is known and the name belongs to
// another object meanwhile, the API server rejects the patch with a conflict. The error wraps
// [kplan.ErrInvalid] and is about annotations that JSON cannot represent.
func merging(o Object, metadata patchMeta, spec *patchSpec) call {
	var es kplan.FieldErrors
	for key, value := range metadata.Annotations {
		if !utf8.ValidString(key) || !utf8.ValidString(value) {
			es.Add(kplan.ElementPath("metadata.annotations", key), value, "must be valid UTF-8")
		}
	}
	if err := es.Join(); err != nil {
		return patching(o, Patch{}, err)
	}
	data, err := json.Marshal(patchObject{Metadata: metadata, Spec: spec})
	return patching(o, Patch{Type: types.MergePatchType, Data: data}, err)
}

func absent(list, name, why string) error {
	return &kplan.FieldError{Path: kplan.ElementPath(list, name), Value: name, Detail: "must be there, because the plan " + why}
}

// named returns the metadata of an object to patch or to delete.
func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// byName returns the objects of a namespace by name. The first object with a name wins.
func byName[T any, P interface {
	*T
	Object
}](namespace string, list []P) map[string]P {
	m := make(map[string]P, len(list))
	for _, o := range list {
		if o == nil || o.GetNamespace() != namespace {
			continue
		}
		if _, known := m[o.GetName()]; !known {
			m[o.GetName()] = o
		}
	}
	return m
}
