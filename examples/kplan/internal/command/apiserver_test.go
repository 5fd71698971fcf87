// SPDX-License-Identifier: Apache-2.0

package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"
)

// An apiServer answers reads of the objects of files as an API server does. Writes are
// refused and counted.
type apiServer struct {
	mutex   sync.Mutex
	objects []*unstructured.Unstructured
	version int
	changed chan struct{} // closed at the next change
	writes  int
	closed  map[string]bool // resources that nobody may read
}

// apiResources are the resources that the server knows, by group and version.
var apiResources = map[string][]metav1.APIResource{
	"v1": {
		{Name: "pods", Kind: "Pod", Namespaced: true, ShortNames: []string{"po"}}, {Name: "nodes", Kind: "Node"},
		{Name: "events", Kind: "Event", Namespaced: true}, {Name: "resourcequotas", Kind: "ResourceQuota", Namespaced: true}, {Name: "limitranges", Kind: "LimitRange", Namespaced: true},
		{Name: "persistentvolumeclaims", Kind: "PersistentVolumeClaim", Namespaced: true},
		{Name: "services", Kind: "Service", Namespaced: true}, {Name: "namespaces", SingularName: "namespace", Kind: "Namespace"},
	},
	"apps/v1": {
		{Name: "deployments", SingularName: "deployment", Kind: "Deployment", Namespaced: true, ShortNames: []string{"deploy"}},
		{Name: "replicasets", SingularName: "replicaset", Kind: "ReplicaSet", Namespaced: true, ShortNames: []string{"rs"}},
		{Name: "daemonsets", SingularName: "daemonset", Kind: "DaemonSet", Namespaced: true, ShortNames: []string{"ds"}},
		{Name: "controllerrevisions", Kind: "ControllerRevision", Namespaced: true},
	},
	"autoscaling/v2": {{Name: "horizontalpodautoscalers", Kind: "HorizontalPodAutoscaler", Namespaced: true}},
	"rollouts.kruise.io/v1beta1": {
		{Name: "rollouts", SingularName: "rollout", Kind: "Rollout", Namespaced: true},
		{Name: "batchreleases", Kind: "BatchRelease", Namespaced: true},
	},
}

// newAPIServer serves the objects of files, and returns the flags that lead there.
func newAPIServer(t *testing.T, files ...string) (*apiServer, []string) {
	t.Helper()
	s := &apiServer{changed: make(chan struct{}), version: 1}
	for _, file := range files {
		s.objects = append(s.objects, objectsOf(t, file)...)
	}
	server := httptest.NewServer(s)
	t.Cleanup(func() {
		server.CloseClientConnections() // a test that fails leaves watches behind
		server.Close()
	})
	dir := t.TempDir()
	config := filepath.Join(dir, "config")
	require.NoError(t, os.WriteFile(config, fmt.Appendf(nil, `apiVersion: v1
kind: Config
clusters: [{name: c, cluster: {server: %q}}]
contexts: [{name: x, context: {cluster: c, user: u}}]
users: [{name: u, user: {}}]
current-context: x
`, server.URL), 0o600))
	return s, []string{"--kubeconfig", config, "--cache-dir", filepath.Join(dir, "cache")}
}

func objectsOf(t *testing.T, file string) []*unstructured.Unstructured {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var list struct{ Items []map[string]any }
	require.NoError(t, yaml.Unmarshal(text, &list))
	var objects []*unstructured.Unstructured
	for _, item := range list.Items {
		objects = append(objects, &unstructured.Unstructured{Object: item})
	}
	return objects
}

// ServeHTTP answers discovery, reads and watches.
func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Method != http.MethodGet {
		s.mutex.Lock()
		s.writes++
		s.mutex.Unlock()
		status(w, http.StatusForbidden, metav1.StatusReasonForbidden)
		return
	}
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	switch {
	case r.URL.Path == "/api":
		reply(w, metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
	case r.URL.Path == "/apis":
		reply(w, groups())
	case parts[0] == "api" && len(parts) == 2:
		reply(w, metav1.APIResourceList{GroupVersion: parts[1], APIResources: verbs(apiResources[parts[1]])})
	case parts[0] == "apis" && len(parts) == 3:
		gv := parts[1] + "/" + parts[2]
		reply(w, metav1.APIResourceList{GroupVersion: gv, APIResources: verbs(apiResources[gv])})
	case parts[0] == "api" && len(parts) > 2:
		s.serve(w, r, parts[1], parts[2:])
	case parts[0] == "apis" && len(parts) > 3:
		s.serve(w, r, parts[1]+"/"+parts[2], parts[3:])
	default:
		status(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	}
}

func groups() metav1.APIGroupList {
	list := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for gv := range apiResources {
		if group, version, ok := strings.Cut(gv, "/"); ok {
			v := metav1.GroupVersionForDiscovery{GroupVersion: gv, Version: version}
			list.Groups = append(list.Groups, metav1.APIGroup{Name: group, Versions: []metav1.GroupVersionForDiscovery{v}, PreferredVersion: v})
		}
	}
	return list
}

func verbs(list []metav1.APIResource) []metav1.APIResource {
	var all []metav1.APIResource
	for _, r := range list {
		r.Verbs = metav1.Verbs{"get", "list", "watch"}
		all = append(all, r)
	}
	return all
}

// serve answers what is asked of a resource: a name in a namespace, or all.
func (s *apiServer) serve(w http.ResponseWriter, r *http.Request, gv string, path []string) {
	namespace := ""
	if path[0] == "namespaces" && len(path) > 2 {
		namespace, path = path[1], path[2:]
	}
	kind := ""
	for _, known := range apiResources[gv] {
		if known.Name == path[0] {
			kind = known.Kind
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	chosen, err := labels.Parse(r.URL.Query().Get("labelSelector"))
	within, bad := fields.ParseSelector(r.URL.Query().Get("fieldSelector"))
	switch {
	case s.closed[path[0]]:
		status(w, http.StatusForbidden, metav1.StatusReasonForbidden)
		return
	case err != nil || bad != nil:
		status(w, http.StatusBadRequest, metav1.StatusReasonBadRequest)
		return
	}
	var found []any
	for _, o := range s.objects {
		if o.GetKind() == kind && o.GetAPIVersion() == gv && (namespace == "" || o.GetNamespace() == namespace) && chosen.Matches(labels.Set(o.GetLabels())) && within.Matches(ofEvent(o)) && (len(path) == 1 || o.GetName() == path[1]) {
			found = append(found, o.Object)
		}
	}
	switch q := r.URL.Query(); {
	case q.Get("sendInitialEvents") != "":
		status(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid) // an older server, which lists first
	case q.Get("watch") != "":
		s.follow(w, r)
	case len(path) == 1:
		reply(w, map[string]any{
			"apiVersion": gv, "kind": kind + "List", "metadata": map[string]any{"resourceVersion": fmt.Sprint(s.version)}, "items": append([]any{}, found...),
		})
	case len(found) == 0:
		status(w, http.StatusNotFound, metav1.StatusReasonNotFound)
	default:
		reply(w, found[0])
	}
}

// ofEvent returns the fields by which events are selected.
func ofEvent(o *unstructured.Unstructured) fields.Set {
	set := fields.Set{}
	for _, name := range []string{"type", "reason"} {
		set[name], _, _ = unstructured.NestedString(o.Object, name)
	}
	return set
}

// follow ends a watch at the next change behind what the client has listed, so that it lists again.
func (s *apiServer) follow(w http.ResponseWriter, r *http.Request) {
	changed, version := s.changed, fmt.Sprint(s.version)
	s.mutex.Unlock()
	defer s.mutex.Lock()
	w.(http.Flusher).Flush()
	if r.URL.Query().Get("resourceVersion") == version {
		select {
		case <-changed:
		case <-r.Context().Done():
		}
	}
	reply(w, map[string]any{"type": "ERROR", "object": metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: http.StatusGone, Reason: metav1.StatusReasonExpired,
	}})
}

// replace makes the objects of a file what the server has.
func (s *apiServer) replace(t *testing.T, file string) {
	objects := objectsOf(t, file)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.version++
	for _, o := range objects {
		o.SetResourceVersion(fmt.Sprint(s.version))
	}
	s.objects = objects
	close(s.changed)
	s.changed = make(chan struct{})
}

func reply(w http.ResponseWriter, v any) { _ = json.NewEncoder(w).Encode(v) }

func status(w http.ResponseWriter, code int, reason metav1.StatusReason) {
	w.WriteHeader(code)
	reply(w, metav1.Status{
		TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Code: int32(code), Reason: reason,
		Message: "the server says " + string(reason),
	})
}

// A screen collects what is written, and lets others wait for it.
type screen struct {
	mutex sync.Mutex
	text  strings.Builder
}

// Write adds to the text.
func (s *screen) Write(p []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.text.Write(p)
}

func (s *screen) shows(part string) func() bool {
	return func() bool {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		return strings.Contains(s.text.String(), part)
	}
}

// waitTimeout is the time within which an expected event must happen in a test.
const waitTimeout = 30 * time.Second
