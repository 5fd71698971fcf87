// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/kplan-go/kplan/kube"
)

const protobuf = "application/vnd.kubernetes.protobuf"

// named is the metadata of the objects of the tests of single calls.
func named() metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "ns", Name: "a", UID: "u1", ResourceVersion: "1"}
}

// Each request of a plan reaches the API server as the request that it is.
func TestCalls(t *testing.T) {
	kinds := map[string]func() kube.Object{
		"/apis/apps/v1/namespaces/ns/deployments":         func() kube.Object { return &appsv1.Deployment{ObjectMeta: named()} },
		"/apis/apps/v1/namespaces/ns/replicasets":         func() kube.Object { return &appsv1.ReplicaSet{ObjectMeta: named()} },
		"/apis/apps/v1/namespaces/ns/daemonsets":          func() kube.Object { return &appsv1.DaemonSet{ObjectMeta: named()} },
		"/apis/apps/v1/namespaces/ns/controllerrevisions": func() kube.Object { return &appsv1.ControllerRevision{ObjectMeta: named()} },
		"/api/v1/namespaces/ns/pods":                      func() kube.Object { return &corev1.Pod{ObjectMeta: named()} },
	}
	merge := kube.Patch{Type: types.MergePatchType, Data: []byte(`{"metadata":{"uid":"u1","resourceVersion":"1","annotations":{"k":"v"}}}`)}
	strategic := kube.Patch{Type: types.StrategicMergePatchType, Data: []byte(`{"metadata":{"uid":"u1","finalizers":["f"]}}`)}
	preconditions := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID("u1")), ResourceVersion: new("1")}}
	metadata := `"metadata":{"name":"a","namespace":"ns","uid":"u1","resourceVersion":"1"}`
	for name, c := range map[string]struct {
		request kube.Request
		call    call   // the path without that of the kind
		body    string // part of the body
	}{
		"create":          {kube.Request{Verb: kube.VerbCreate}, call{Method: http.MethodPost, ContentType: protobuf}, `"metadata":{"name":"a","namespace":"ns"`},
		"update":          {kube.Request{Verb: kube.VerbUpdate}, call{Method: http.MethodPut, Path: "/a", ContentType: protobuf}, metadata},
		"status":          {kube.Request{Verb: kube.VerbUpdate, Subresource: "status"}, call{Method: http.MethodPut, Path: "/a/status", ContentType: protobuf}, metadata},
		"merge patch":     {kube.Request{Verb: kube.VerbPatch, Patch: merge}, call{Method: http.MethodPatch, Path: "/a", ContentType: "application/merge-patch+json"}, string(merge.Data)},
		"strategic patch": {kube.Request{Verb: kube.VerbPatch, Patch: strategic}, call{Method: http.MethodPatch, Path: "/a", ContentType: "application/strategic-merge-patch+json"}, string(strategic.Data)},
		"delete": {kube.Request{Verb: kube.VerbDelete, Options: preconditions}, call{Method: http.MethodDelete, Path: "/a", ContentType: protobuf},
			`"preconditions":{"uid":"u1","resourceVersion":"1"}`},
		"delete without preconditions": {kube.Request{Verb: kube.VerbDelete}, call{Method: http.MethodDelete, Path: "/a", ContentType: protobuf}, `{"kind":"DeleteOptions"`},
	} {
		for path, object := range kinds {
			t.Run(name+" "+path, func(t *testing.T) {
				s := newWireServer(t)
				if name != "create" {
					s.store(resourceFor(object()), object())
				}
				r := c.request
				r.Object = object()
				if name == "create" {
					r.Object.SetResourceVersion("")
				}
				direct, err := client.New(s.config(), client.Options{})
				require.NoError(t, err)
				c1 := &apiClient{writer: direct, reader: direct, tracker: newTracker()}
				require.NoError(t, c1.Do(t.Context(), r))
				require.Len(t, s.made(), 1)
				got := s.made()[0]
				require.Equal(t, call{c.call.Method, path + c.call.Path, c.call.ContentType, got.Body}, got)
				require.Contains(t, got.Body, c.body)
				if r.Verb != kube.VerbDelete {
					require.NotEqual(t, "", r.Object.GetResourceVersion(), "the answer is left in the object")
				}
				written := &metav1.ObjectMeta{UID: "u1", ResourceVersion: "1"}
				_, pod := r.Object.(*corev1.Pod)
				require.Equal(t, r.Verb != kube.VerbDelete && !pod && r.Verb != kube.VerbCreate, c1.tracker.behind("u1", written), "what was written is waited for")
				if name == "delete without preconditions" {
					require.NotContains(t, got.Body, "preconditions")
				}
			})
		}
	}
}

// What cannot be a call is none.
func TestUnknownVerb(t *testing.T) {
	s := newWireServer(t)
	direct, err := client.New(s.config(), client.Options{})
	require.NoError(t, err)
	c := &apiClient{writer: direct, reader: direct, tracker: newTracker()}
	require.ErrorContains(t, c.Do(t.Context(), kube.Request{Verb: "watch", Object: &corev1.Pod{ObjectMeta: named()}}), "no call for watch pods/a")
	require.Empty(t, s.made())
}

// ours returns the metadata of an object of our class.
func ours(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "ns", Name: name, UID: types.UID("uid-of-" + name), Generation: 1, Annotations: map[string]string{AnnotationClass: "kplan"}}
}

// running starts all controllers over an API server with these objects.
func running(t *testing.T, o Options, objects ...client.Object) *wireServer {
	s := newWireServer(t, objects...)
	s.run(o)
	return s
}

// run runs all controllers until the test ends.
func (s *wireServer) run(o Options) {
	ctx, cancel := context.WithCancel(s.t.Context())
	ended := make(chan error, 1)
	go func() { ended <- Run(ctx, s.config(), o) }()
	s.t.Cleanup(func() {
		cancel()
		require.NoError(s.t, <-ended)
	})
}

// quietly are the options of a process without leases, metrics and probes. Names must differ
// within one process.
func quietly(t *testing.T) Options {
	o := Defaults()
	o.Name, o.MetricsAddress, o.HealthAddress, o.MaxDelay = strings.ToLower(t.Name()), "0", "0", 50*time.Millisecond
	return o
}

// until waits for a call, and returns its place among all.
func (s *wireServer) until(method, path string) (int, call) {
	s.t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(5 * time.Millisecond) {
		calls := s.made()
		if i := slices.IndexFunc(calls, func(c call) bool { return c.Method == method && c.Path == path }); i >= 0 {
			return i, calls[i]
		}
		if time.Now().After(deadline) {
			s.t.Fatalf("no %s %s among %v", method, path, calls)
		}
	}
}

const apps, core = "/apis/apps/v1/namespaces/ns", "/api/v1/namespaces/ns"

// template returns a selector and a template that go together.
func template(app string) (*metav1.LabelSelector, corev1.PodTemplateSpec) {
	l := map[string]string{"app": app}
	return &metav1.LabelSelector{MatchLabels: l}, corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: l}}
}

// plain returns a ReplicaSet of our class without a Deployment.
func plain(name string, replicas int32) *appsv1.ReplicaSet {
	selector, template := template(name)
	return &appsv1.ReplicaSet{ObjectMeta: ours(name), Spec: appsv1.ReplicaSetSpec{Replicas: &replicas, Selector: selector, Template: template}}
}

// podOf returns a pod as a ReplicaSet or DaemonSet would make it.
func podOf(kind string, owner metav1.ObjectMeta, name string) *corev1.Pod {
	p := ownedBy(kind, owner, name)
	p.Labels, p.ResourceVersion = map[string]string{"app": owner.Name}, ""
	return p
}

// Before anything is adopted the API server itself is asked whether the owner is still there:
// what the cache shows may be gone.
func TestAdoptionAsksTheServer(t *testing.T) {
	rs := plain("web", 1)
	orphan := podOf("ReplicaSet", rs.ObjectMeta, "orphan")
	orphan.OwnerReferences = nil
	s := running(t, quietly(t), rs, orphan)
	patched, patch := s.until(http.MethodPatch, core+"/pods/orphan")
	asked, _ := s.until(http.MethodGet, apps+"/replicasets/web")
	require.Less(t, asked, patched)
	require.Equal(t, "application/strategic-merge-patch+json", patch.ContentType)
	require.Contains(t, patch.Body, `"uid":"orphan"`)
}

// An owner that only the cache still has adopts nothing.
func TestNoAdoptionByWhatIsGone(t *testing.T) {
	rs := plain("web", 1)
	orphan := podOf("ReplicaSet", rs.ObjectMeta, "orphan")
	orphan.OwnerReferences = nil
	s := newWireServer(t, rs, orphan)
	s.refuse = func(c call) *metav1.Status {
		if c.Method == http.MethodGet && c.Path == apps+"/replicasets/web" {
			return failure(http.StatusNotFound, metav1.StatusReasonNotFound)
		}
		return nil
	}
	s.run(quietly(t))
	s.until(http.MethodGet, apps+"/replicasets/web")
	time.Sleep(100 * time.Millisecond) // for a write that must not come
	for _, c := range s.made() {
		require.NotEqual(t, core+"/pods/orphan", c.Path)
	}
}

// A pod is deleted if it is the one, and as, it was read.
func TestDeletionsHavePreconditions(t *testing.T) {
	rs := plain("web", 0)
	s := running(t, quietly(t), rs, podOf("ReplicaSet", rs.ObjectMeta, "surplus"))
	_, c := s.until(http.MethodDelete, core+"/pods/surplus")
	require.Contains(t, c.Body, `"preconditions":{"uid":"surplus","resourceVersion":"2"}`)
}

// A rollout from nothing to its first pods, as it is on the wire.
func TestDeploymentOnTheWire(t *testing.T) {
	selector, template := template("web")
	d := &appsv1.Deployment{ObjectMeta: ours("web"), Spec: appsv1.DeploymentSpec{Replicas: new(int32(1)), Selector: selector, Template: template}}
	s := running(t, quietly(t), d)
	s.until(http.MethodPut, apps+"/deployments/web/status")
	s.mu.Lock()
	var rs client.Object
	for at, o := range s.stored {
		if strings.HasPrefix(at, "replicasets/") {
			rs = o
		}
	}
	s.mu.Unlock()
	require.NotNil(t, rs)
	_, status := s.until(http.MethodPut, apps+"/replicasets/"+rs.GetName()+"/status")
	require.Contains(t, status.Body, `"uid":"`+string(rs.GetUID())+`"`)
	created, c := s.until(http.MethodPost, core+"/pods")
	require.Contains(t, c.Body, `"generateName":"`+rs.GetName()+`-"`)
	of, _ := s.until(http.MethodPost, apps+"/replicasets")
	require.Less(t, of, created)
}

func TestDaemonSetOnTheWire(t *testing.T) {
	selector, template := template("agent")
	ds := &appsv1.DaemonSet{ObjectMeta: ours("agent"), Spec: appsv1.DaemonSetSpec{
		Selector: selector, Template: template, RevisionHistoryLimit: new(int32(1)),
		UpdateStrategy: appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType},
	}}
	s := running(t, quietly(t), ds, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}})
	revision, _ := s.until(http.MethodPost, apps+"/controllerrevisions")
	created, _ := s.until(http.MethodPost, core+"/pods")
	_, status := s.until(http.MethodPut, apps+"/daemonsets/agent/status")
	require.Less(t, revision, created)
	require.Contains(t, status.Body, `"uid":"uid-of-agent"`)
}
