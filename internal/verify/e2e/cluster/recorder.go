// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// A Recorder keeps every write to etcd, in order: all states that any client could have observed,
// whether the API server runs or not.
type Recorder struct {
	client *clientv3.Client

	mu      sync.Mutex
	writes  map[string][]write // by namespace; "" for objects without one
	last    int64
	changed chan struct{} // closed and replaced with each write
}

type write struct {
	revision int64
	at       time.Time
	resource string // the name in etcd
	name     string
	value    []byte // nil for a deletion
}

// A Change is one write. The object is the new one, or nil for a deletion.
type Change struct {
	Revision int64
	At       time.Time
	Resource string // such as replicasets
	Name     string
	Object   metav1.Object
}

const registry = "/registry/"

// Record starts a recorder.
func (c *Cluster) Record(ctx context.Context) (*Recorder, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"http://" + c.etcdAddress()}, Context: ctx})
	if err != nil {
		return nil, err
	}
	r := &Recorder{client: client, writes: map[string][]write{}, changed: make(chan struct{})}
	go r.watch(client.Watch(ctx, registry, clientv3.WithPrefix(), clientv3.WithRev(1)))
	return r, nil
}

func (r *Recorder) watch(events clientv3.WatchChan) {
	for response := range events {
		r.mu.Lock()
		for _, e := range response.Events {
			r.add(e)
		}
		close(r.changed)
		r.changed = make(chan struct{})
		r.mu.Unlock()
	}
}

func (r *Recorder) add(e *clientv3.Event) {
	r.last = e.Kv.ModRevision
	resource, rest, _ := strings.Cut(strings.TrimPrefix(string(e.Kv.Key), registry), "/")
	w := write{revision: e.Kv.ModRevision, at: time.Now(), resource: resource}
	namespace := ""
	switch resource {
	case "pods", "replicasets", "deployments", "daemonsets", "controllerrevisions":
		namespace, w.name, _ = strings.Cut(rest, "/")
	case "controllers":
		w.resource = "replicationcontrollers"
		namespace, w.name, _ = strings.Cut(rest, "/")
	case "minions":
		w.resource, w.name = "nodes", rest
	default:
		return
	}
	if e.Type != clientv3.EventTypeDelete {
		w.value = e.Kv.Value
	}
	r.writes[namespace] = append(r.writes[namespace], w)
}

// Sync waits until all earlier writes are recorded.
func (r *Recorder) Sync(ctx context.Context) error {
	put, err := r.client.Put(ctx, registry+"e2e/sync", "")
	if err != nil {
		return err
	}
	for {
		r.mu.Lock()
		last, changed := r.last, r.changed
		r.mu.Unlock()
		if last >= put.Header.Revision {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// History returns the changes in a namespace, and of nodes, from a revision on.
func (r *Recorder) History(namespace string, from int64) ([]Change, error) {
	r.mu.Lock()
	own, nodes := r.writes[namespace], r.writes[""]
	r.mu.Unlock()
	var changes []Change
	for len(own) > 0 || len(nodes) > 0 {
		next := &own
		if len(own) == 0 || len(nodes) > 0 && nodes[0].revision < own[0].revision {
			next = &nodes
		}
		w := (*next)[0]
		*next = (*next)[1:]
		if w.revision < from {
			continue
		}
		c, err := w.change()
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// Changed returns a channel that is closed with the next write.
func (r *Recorder) Changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.changed
}

func (w write) change() (Change, error) {
	c := Change{Revision: w.revision, At: w.at, Resource: w.resource, Name: w.name}
	if w.value == nil {
		return c, nil
	}
	o, _, err := scheme.Codecs.UniversalDeserializer().Decode(w.value, nil, nil)
	if err != nil {
		return c, fmt.Errorf("%s/%s: %w", w.resource, w.name, err)
	}
	c.Object = o.(metav1.Object)
	return c, nil
}

// A State is the objects of a namespace at some revision, by name, and the nodes.
type State struct {
	Deployments map[string]*appsv1.Deployment
	ReplicaSets map[string]*appsv1.ReplicaSet
	DaemonSets  map[string]*appsv1.DaemonSet
	Controllers map[string]*corev1.ReplicationController
	Revisions   map[string]*appsv1.ControllerRevision
	Pods        map[string]*corev1.Pod
	Nodes       map[string]*corev1.Node
}

// NewState returns the state before the first write.
func NewState() *State {
	return &State{
		Deployments: map[string]*appsv1.Deployment{}, ReplicaSets: map[string]*appsv1.ReplicaSet{}, DaemonSets: map[string]*appsv1.DaemonSet{},
		Controllers: map[string]*corev1.ReplicationController{}, Revisions: map[string]*appsv1.ControllerRevision{}, Pods: map[string]*corev1.Pod{}, Nodes: map[string]*corev1.Node{},
	}
}

// Apply makes a change.
func (s *State) Apply(c Change) {
	switch c.Resource {
	case "deployments":
		apply(s.Deployments, c)
	case "replicasets":
		apply(s.ReplicaSets, c)
	case "replicationcontrollers":
		apply(s.Controllers, c)
	case "daemonsets":
		apply(s.DaemonSets, c)
	case "controllerrevisions":
		apply(s.Revisions, c)
	case "pods":
		apply(s.Pods, c)
	case "nodes":
		apply(s.Nodes, c)
	}
}

func apply[T metav1.Object](m map[string]T, c Change) {
	if c.Object == nil {
		delete(m, c.Name)
		return
	}
	o := c.Object.(T)
	o.SetResourceVersion(fmt.Sprint(c.Revision))
	m[c.Name] = o
}
