// SPDX-License-Identifier: Apache-2.0

package controllers

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// wireServer is an API server with storage and watches and nothing else: it admits, defaults
// and validates nothing. It keeps what clients have asked for, as it was on the wire.
type wireServer struct {
	*httptest.Server
	t *testing.T

	mu      sync.Mutex
	version int
	stored  map[string]client.Object // by resource/namespace/name
	log     []change
	changed chan struct{} // closed and replaced with each change
	calls   []call
	refuse  func(c call) *metav1.Status
}

// A change is one event of a watch.
type change struct {
	version  int
	resource string
	kind     string // ADDED, MODIFIED or DELETED
	object   client.Object
}

// A call is one request that is neither a list, a watch nor about events.
type call struct {
	Method, Path, ContentType string
	Body                      string // as JSON, whatever it was encoded in
}

// resources are what the server serves, by group version.
var resources = map[string]map[string]string{
	"v1":      {"pods": "Pod", "nodes": "Node", "events": "Event"},
	"apps/v1": {"deployments": "Deployment", "replicasets": "ReplicaSet", "daemonsets": "DaemonSet", "controllerrevisions": "ControllerRevision"},
}

func newWireServer(t *testing.T, objects ...client.Object) *wireServer {
	s := &wireServer{t: t, stored: map[string]client.Object{}, changed: make(chan struct{})}
	for _, o := range objects {
		s.store(resourceFor(o), o.DeepCopyObject().(client.Object))
	}
	s.Server = httptest.NewServer(s)
	t.Cleanup(func() { s.CloseClientConnections(); s.Close() })
	return s
}

func (s *wireServer) config() *rest.Config { return &rest.Config{Host: s.URL, QPS: -1} }

func resourceFor(o client.Object) string {
	gvk, err := apiutil.GVKForObject(o, scheme.Scheme)
	if err != nil {
		panic(err)
	}
	return strings.ToLower(gvk.Kind) + "s"
}

func key(resource, namespace, name string) string { return resource + "/" + namespace + "/" + name }

// store stores an object under a new version.
func (s *wireServer) store(resource string, o client.Object) client.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := key(resource, o.GetNamespace(), o.GetName())
	kind := "MODIFIED"
	if s.stored[at] == nil {
		kind = "ADDED"
	}
	s.version++
	o.SetResourceVersion(strconv.Itoa(s.version))
	if o.GetUID() == "" {
		o.SetUID(types.UID(fmt.Sprintf("uid-%d", s.version)))
	}
	gvk, _ := apiutil.GVKForObject(o, scheme.Scheme)
	o.GetObjectKind().SetGroupVersionKind(gvk)
	s.stored[at] = o
	s.tell(change{s.version, resource, kind, o})
	return o
}

func (s *wireServer) remove(resource string, o client.Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	delete(s.stored, key(resource, o.GetNamespace(), o.GetName()))
	s.tell(change{s.version, resource, "DELETED", o})
}

func (s *wireServer) tell(c change) {
	s.log = append(s.log, c)
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *wireServer) get(resource, namespace, name string) client.Object {
	s.mu.Lock()
	defer s.mu.Unlock()
	if o := s.stored[key(resource, namespace, name)]; o != nil {
		return o.DeepCopyObject().(client.Object)
	}
	return nil
}

// made returns the calls so far.
func (s *wireServer) made() []call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

func (s *wireServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	group := 2
	if parts[0] == "apis" {
		group = 3
	}
	if len(parts) <= group {
		s.discover(w, r.URL.Path)
		return
	}
	version, rest := strings.Join(parts[1:group], "/"), parts[group:]
	namespace := ""
	if rest[0] == "namespaces" && len(rest) > 2 {
		namespace, rest = rest[1], rest[2:]
	}
	resource, name, sub := rest[0], at(rest, 1), at(rest, 2)
	kind := resources[version][resource]
	switch {
	case resource == "events":
		answer(w, http.StatusCreated, map[string]string{"apiVersion": "v1", "kind": "Event"})
	case r.Method == http.MethodGet && r.URL.Query().Get("watch") != "":
		s.watch(w, r, resource)
	case r.Method == http.MethodGet && name == "":
		s.list(w, version, kind, resource)
	default:
		s.call(w, r, schema.FromAPIVersionAndKind(version, kind), resource, namespace, name, sub)
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

// discover tells which groups and resources there are.
func (s *wireServer) discover(w http.ResponseWriter, path string) {
	version := metav1.GroupVersionForDiscovery{GroupVersion: "apps/v1", Version: "v1"}
	switch path {
	case "/api":
		answer(w, http.StatusOK, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions", APIVersion: "v1"}, Versions: []string{"v1"}})
		return
	case "/apis":
		answer(w, http.StatusOK, metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{
			{Name: "apps", Versions: []metav1.GroupVersionForDiscovery{version}, PreferredVersion: version},
		}})
		return
	}
	list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: strings.TrimPrefix(strings.TrimPrefix(path, "/apis/"), "/api/")}
	for name, kind := range resources[list.GroupVersion] {
		list.APIResources = append(list.APIResources, metav1.APIResource{Name: name, Kind: kind, Namespaced: name != "nodes", Verbs: metav1.Verbs{"get"}})
	}
	answer(w, http.StatusOK, list)
}

func (s *wireServer) list(w http.ResponseWriter, version, kind, resource string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	items := []client.Object{}
	for _, at := range slices.Sorted(maps.Keys(s.stored)) {
		if strings.HasPrefix(at, resource+"/") {
			items = append(items, s.stored[at])
		}
	}
	answer(w, http.StatusOK, map[string]any{
		"apiVersion": version, "kind": kind + "List", "items": items, "metadata": map[string]string{"resourceVersion": strconv.Itoa(s.version)},
	})
}

// watch sends what happens after a version, or from the beginning if initial events are
// asked for.
func (s *wireServer) watch(w http.ResponseWriter, r *http.Request, resource string) {
	w.Header().Set("Content-Type", "application/json")
	since, _ := strconv.Atoi(r.URL.Query().Get("resourceVersion"))
	initial := r.URL.Query().Get("sendInitialEvents") == "true"
	encoder, sent := json.NewEncoder(w), 0
	for {
		s.mu.Lock()
		log, changed, version := s.log, s.changed, s.version
		s.mu.Unlock()
		for _, c := range log[sent:] {
			if c.resource == resource && c.version > since {
				_ = encoder.Encode(map[string]any{"type": c.kind, "object": c.object})
			}
		}
		sent = len(log)
		if initial {
			initial = false
			_ = encoder.Encode(map[string]any{"type": "BOOKMARK", "object": bookmark(resource, version)})
		}
		w.(http.Flusher).Flush()
		select {
		case <-changed:
		case <-r.Context().Done():
			return
		}
	}
}

// bookmark ends the initial events.
func bookmark(resource string, version int) any {
	for group, kinds := range resources {
		if kind := kinds[resource]; kind != "" {
			return map[string]any{"apiVersion": group, "kind": kind, "metadata": map[string]any{
				"resourceVersion": strconv.Itoa(version), "annotations": map[string]string{metav1.InitialEventsAnnotationKey: "true"},
			}}
		}
	}
	return nil
}

// call carries out a request about one object.
func (s *wireServer) call(w http.ResponseWriter, r *http.Request, gvk schema.GroupVersionKind, resource, namespace, name, sub string) {
	body, _ := io.ReadAll(r.Body)
	c := call{Method: r.Method, Path: r.URL.Path, ContentType: r.Header.Get("Content-Type"), Body: string(body)}
	var sent runtime.Object
	if r.Method != http.MethodPatch && len(body) > 0 {
		var err error
		if sent, _, err = scheme.Codecs.UniversalDeserializer().Decode(body, nil, nil); err != nil {
			s.t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
			sent = &metav1.Status{}
		}
		data, _ := json.Marshal(sent)
		c.Body = string(data)
	}
	s.mu.Lock()
	s.calls = append(s.calls, c)
	refuse := s.refuse
	s.mu.Unlock()
	if refuse != nil {
		if status := refuse(c); status != nil {
			answer(w, int(status.Code), status)
			return
		}
	}
	old := s.get(resource, namespace, name)
	switch {
	case r.Method == http.MethodPost:
		answer(w, http.StatusCreated, s.store(resource, sent.(client.Object)))
	case old == nil:
		answer(w, http.StatusNotFound, failure(http.StatusNotFound, metav1.StatusReasonNotFound))
	case r.Method == http.MethodGet:
		answer(w, http.StatusOK, old)
	case r.Method == http.MethodDelete:
		s.remove(resource, old)
		answer(w, http.StatusOK, metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess})
	default:
		s.write(w, r.Method, gvk, resource, old, sent, body)
	}
}

// write carries out an update or a patch. Both are refused over another version.
func (s *wireServer) write(w http.ResponseWriter, method string, gvk schema.GroupVersionKind, resource string, old client.Object, sent runtime.Object, body []byte) {
	next := sent
	if method == http.MethodPatch {
		fresh, _ := scheme.Scheme.New(gvk)
		stored, _ := json.Marshal(old)
		merged, err := strategicpatch.StrategicMergePatch(stored, body, fresh)
		if err == nil {
			err = json.Unmarshal(merged, fresh)
		}
		require.NoError(s.t, err, string(body))
		next = fresh
	}
	o := next.(client.Object)
	if cmp.Or(o.GetResourceVersion(), old.GetResourceVersion()) != old.GetResourceVersion() || o.GetUID() != old.GetUID() {
		answer(w, http.StatusConflict, failure(http.StatusConflict, metav1.StatusReasonConflict))
		return
	}
	answer(w, http.StatusOK, s.store(resource, o))
}

func failure(code int, reason metav1.StatusReason) *metav1.Status {
	return &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason}
}

func answer(w http.ResponseWriter, code int, o any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(o)
}
