// SPDX-License-Identifier: Apache-2.0

package apiserver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"sync"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// An Object is an API object that a server stores.
type Object interface {
	metav1.Object
	runtime.Object
}

// A Key identifies an object.
type Key struct{ Kind, Namespace, Name string }

func (k Key) String() string { return k.Kind + " " + k.Namespace + "/" + k.Name }

// A Server stores objects. The zero value is not usable, see [New].
type Server struct {
	mu      sync.Mutex
	objects map[Key]Object // replaced, never changed
	version int64
	created int // number of created objects, for names and UIDs
	rules   []Rule
	seen    map[operation]int // number of calls per operation
	calls   []Call
	origin  map[Key]Object // the objects when the server was cloned
	// Lenient allows an update from an old version if only the caller has written since.
	Lenient bool
	// Written, unless it is nil, is called with the object after each update or patch that was
	// carried out, even if nothing changed. It must not keep the object.
	Written func(Object)
}

// New returns a server with copies of objects. They get a UID and a resource version if
// they have none.
func New(objects ...Object) *Server {
	s := &Server{objects: map[Key]Object{}, version: 1000, seen: map[operation]int{}}
	for _, o := range objects {
		s.Put(o)
	}
	return s
}

// Clone returns an independent server with the same objects, and no rules and no calls.
func (s *Server) Clone() *Server {
	return &Server{objects: maps.Clone(s.objects), version: s.version, created: s.created, seen: map[operation]int{}, origin: s.objects}
}

// Version returns the resource version of the last write.
func (s *Server) Version() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Put stores a copy of an object as it is, like a write by another client.
func (s *Server) Put(o Object) Object {
	o = o.DeepCopyObject().(Object)
	s.version++
	o.SetResourceVersion(strconv.FormatInt(s.version, 10))
	if o.GetUID() == "" {
		o.SetUID(types.UID("u-" + o.GetName()))
	}
	s.objects[KeyOf(o)] = o
	return o
}

// Remove removes an object at once, like another client.
func (s *Server) Remove(k Key) { delete(s.objects, k) }

// Stored returns an object, nil if it does not exist. It must not be changed.
func (s *Server) Stored(k Key) Object { return s.objects[k] }

// Objects returns all objects in order. They must not be changed.
func (s *Server) Objects() []Object {
	list := slices.Collect(maps.Values(s.objects))
	slices.SortFunc(list, func(a, b Object) int {
		return cmp.Or(cmp.Compare(Kind(a), Kind(b)), cmp.Compare(a.GetNamespace(), b.GetNamespace()), cmp.Compare(a.GetName(), b.GetName()))
	})
	return list
}

// KeyOf returns the key of an object.
func KeyOf(o Object) Key { return Key{Kind(o), o.GetNamespace(), o.GetName()} }

// Kind returns the kind of an object, by its type.
func Kind(o Object) string { return reflect.TypeOf(o).Elem().Name() }

// resource returns the resource of a kind, for error messages.
func resource(kind string) schema.GroupResource {
	switch kind {
	case "Pod":
		return corev1.Resource("pods")
	case "ReplicationController":
		return corev1.Resource("replicationcontrollers")
	case "ControllerRevision":
		return appsv1.Resource("controllerrevisions")
	case "DaemonSet":
		return appsv1.Resource("daemonsets")
	case "Deployment":
		return appsv1.Resource("deployments")
	}
	return appsv1.Resource("replicasets")
}

// spec returns the field Spec of an object, the zero value if its kind has none.
func spec(o Object) reflect.Value   { return reflect.ValueOf(o).Elem().FieldByName("Spec") }
func status(o Object) reflect.Value { return reflect.ValueOf(o).Elem().FieldByName("Status") }

func copyOf(o Object) Object { return o.DeepCopyObject().(Object) }

// get reads an object.
func (s *Server) get(k Key) (Object, error) {
	o, ok := s.objects[k]
	if !ok {
		return nil, apierrors.NewNotFound(resource(k.Kind), k.Name)
	}
	return o, nil
}

// create stores a new object.
func (s *Server) create(o Object) (Object, error) {
	o = copyOf(o)
	if o.GetName() == "" {
		const longest, random = 63, 5
		base := o.GetGenerateName()
		o.SetName(base[:min(len(base), longest-random)] + fmt.Sprintf("%0*d", random, s.created))
	}
	k := KeyOf(o)
	if _, taken := s.objects[k]; taken {
		return nil, apierrors.NewAlreadyExists(resource(k.Kind), k.Name)
	}
	if err := validateOwners(k, o); err != nil {
		return nil, err
	}
	s.created++
	o.SetUID(types.UID(fmt.Sprintf("created-%d", s.created)))
	o.SetCreationTimestamp(metav1.Now().Rfc3339Copy())
	o.SetGeneration(1)
	if v := status(o); v.IsValid() {
		v.SetZero()
	}
	if pod, ok := o.(*corev1.Pod); ok {
		pod.Status.Phase = corev1.PodPending
		if pod.Spec.SecurityContext == nil {
			pod.Spec.SecurityContext = &corev1.PodSecurityContext{}
		}
	}
	return s.store(k, o), nil
}

// store stores o under a key. Only the server may change o afterwards.
func (s *Server) store(k Key, o Object) Object {
	s.version++
	o.SetResourceVersion(strconv.FormatInt(s.version, 10))
	s.objects[k] = o
	return o
}

// conflict is the error for a write with a precondition that does not hold.
func conflict(k Key, what string) error {
	return apierrors.NewConflict(resource(k.Kind), k.Name, fmt.Errorf("%s has changed", what))
}

// update stores a new state of an object, with sub only of its status.
func (s *Server) update(o Object, sub bool) (Object, error) {
	k := KeyOf(o)
	old, err := s.get(k)
	switch {
	case err != nil:
		return nil, err
	case o.GetUID() != "" && o.GetUID() != old.GetUID():
		return nil, conflict(k, "the UID")
	case o.GetResourceVersion() != "" && o.GetResourceVersion() != old.GetResourceVersion():
		if !s.own(k, o.GetResourceVersion()) {
			return nil, conflict(k, "the object")
		}
		if o, err = rebased(s.origin[k], old, o, sub); err != nil {
			return nil, err
		}
	}
	return s.replace(k, old, o, sub)
}

// own reports whether all writes since a version are the caller's.
func (s *Server) own(k Key, version string) bool {
	was := s.origin[k]
	return s.Lenient && (was == nil || was.GetResourceVersion() == version)
}

// rebased applies the caller's changes of the object that it read to the object that it wrote last.
func rebased(read, written, o Object, sub bool) (Object, error) {
	if read == nil || sub {
		return o, nil
	}
	a, err := json.Marshal(read)
	b, err2 := json.Marshal(o)
	if err = errors.Join(err, err2); err != nil {
		return nil, err
	}
	changes, err := jsonpatch.CreateMergePatch(a, b)
	if err != nil {
		return nil, err
	}
	return patched(written, types.MergePatchType, changes)
}

// replace stores the result of a write.
func (s *Server) replace(k Key, old, o Object, sub bool) (Object, error) {
	next := copyOf(o)
	next.SetUID(old.GetUID())
	next.SetCreationTimestamp(old.GetCreationTimestamp())
	next.SetDeletionTimestamp(old.GetDeletionTimestamp())
	next.SetDeletionGracePeriodSeconds(old.GetDeletionGracePeriodSeconds())
	next.SetGeneration(old.GetGeneration())
	next.SetResourceVersion(old.GetResourceVersion())
	kept := status
	if sub {
		kept = spec
		next.SetLabels(old.GetLabels())
	}
	if v := kept(next); v.IsValid() {
		v.Set(kept(copyOf(old)))
	}
	if err := validateOwners(k, next); err != nil {
		return nil, err
	}
	if equality.Semantic.DeepEqual(old, next) {
		return old, nil
	}
	if !sub && changesGeneration(old, next) {
		next.SetGeneration(old.GetGeneration() + 1)
	}
	return s.store(k, next), nil
}

// changesGeneration reports whether a write increases the generation. For a Deployment that
// includes changes of annotations.
func changesGeneration(old, next Object) bool {
	a, b := spec(old), spec(next)
	if !a.IsValid() || Kind(old) == "Pod" {
		return false
	}
	return !equality.Semantic.DeepEqual(a.Interface(), b.Interface()) ||
		Kind(old) == "Deployment" && !equality.Semantic.DeepEqual(old.GetAnnotations(), next.GetAnnotations())
}
