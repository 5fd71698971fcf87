// SPDX-License-Identifier: Apache-2.0

package kruise_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/apitest"
	kubekruise "github.com/kplan-go/kplan/kube/kruise"
	"github.com/kplan-go/kplan/rollout"
	"github.com/kplan-go/kplan/rollout/batchrelease"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
	"github.com/kplan-go/kplan/rollout/workload"
)

var deploymentRef = workload.Ref{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}

func TestRolloutPatches(t *testing.T) {
	object := &metav1.ObjectMeta{Finalizers: []string{"a", "b"}, ResourceVersion: "7"}
	patches := map[string]func() (kube.Patch, error){
		`{"metadata":{"finalizers":["a","b","c"],"resourceVersion":"7","uid":"u"}}`: func() (kube.Patch, error) {
			return kubekruise.FinalizerPatch(object, "u", "c", false)
		},
		`{"metadata":{"finalizers":["a"],"resourceVersion":"7"}}`: func() (kube.Patch, error) {
			return kubekruise.FinalizerPatch(object, "", "b", true)
		},
		`{"metadata":{"annotations":{"a":"1"},"uid":"u"}}`: func() (kube.Patch, error) {
			return kubekruise.PatchRolloutPatch(kruise.PatchRollout{UID: "u", Annotations: map[string]string{"a": "1"}})
		},
		`{"metadata":{"annotations":{"a":null,"b":"2"},"uid":"u"},"spec":{"paused":true,"strategy":{"type":"Recreate"}}}`: func() (kube.Patch, error) {
			return kubekruise.WorkloadPatch(deploymentRef, "u", workload.Patch{
				Annotations: map[string]*string{"a": nil, "b": ptr.To("2")}, Paused: ptr.To(true), StrategyType: ptr.To("Recreate"),
			})
		},
		`{"metadata":{"uid":"u"},"spec":{"replicas":3}}`: func() (kube.Patch, error) {
			return kubekruise.WorkloadPatch(deploymentRef, "u", workload.Patch{Replicas: ptr.To(int32(3))})
		},
		`{"spec":{"minReadySeconds":9}}`: func() (kube.Patch, error) {
			return kubekruise.ReplicaSetPatch(batchrelease.PatchReplicaSet{MinReadySeconds: 9})
		},
		`{"spec":{"scaleTargetRef":{"name":"b"}}}`: func() (kube.Patch, error) {
			return kubekruise.AutoscalerPatch(batchrelease.RetargetAutoscaler{From: "a", To: "b"})
		},
		`{"metadata":{"labels":{"l":"1"},"uid":"u"}}`: func() (kube.Patch, error) {
			return kubekruise.LabelPodPatch(batchrelease.LabelPod{UID: "u", Labels: map[string]string{"l": "1"}})
		},
		`{"metadata":{"uid":"u"},"spec":{"releasePlan":{"batchPartition":null,"finalizingPolicy":"WaitResume"}}}`: func() (kube.Patch, error) {
			return kubekruise.BatchReleasePatch(kruise.PatchBatchRelease{UID: "u", Finalize: batchrelease.WaitResume})
		},
		`{"spec":{"releasePlan":{"rolloutID":"7"}}}`: func() (kube.Patch, error) {
			return kubekruise.BatchReleasePatch(kruise.PatchBatchRelease{RolloutID: ptr.To("7")})
		},
		`{"spec":{"selector":{"hash":"v1"}}}`: func() (kube.Patch, error) {
			return kubekruise.SelectPodsPatch(kruise.SelectPods{Key: "hash", Value: "v1"})
		},
		`{"spec":{"selector":{"hash":null}}}`: func() (kube.Patch, error) { return kubekruise.SelectPodsPatch(kruise.SelectPods{Key: "hash"}) },
		`{"metadata":{"annotations":{"keep":"2","new":"3","old":null}}}`: func() (kube.Patch, error) {
			return kubekruise.IngressPatch(map[string]string{"old": "1", "keep": "1"}, kruise.SetIngress{Annotations: map[string]string{"keep": "2", "new": "3"}})
		},
	}
	for want, patch := range patches {
		got, err := patch()
		require.NoError(t, err)
		require.Equal(t, types.MergePatchType, got.Type)
		require.Equal(t, want, string(got.Data))
	}
	bad := map[string]string{"a": "\xff"}
	for _, patch := range []func() (kube.Patch, error){
		func() (kube.Patch, error) { return kubekruise.PatchRolloutPatch(kruise.PatchRollout{Annotations: bad}) },
		func() (kube.Patch, error) { return kubekruise.LabelPodPatch(batchrelease.LabelPod{Labels: bad}) },
		func() (kube.Patch, error) { return kubekruise.IngressPatch(nil, kruise.SetIngress{Annotations: bad}) },
		func() (kube.Patch, error) {
			return kubekruise.RoutePatch(kruise.SetRoute{Rules: []traffic.Rule{{Rest: "["}}})
		},
	} {
		_, err := patch()
		require.ErrorIs(t, err, kplan.ErrInvalid)
	}
	require.EqualValues(t, "u", *kubekruise.DeleteBatchReleaseOptions(kruise.DeleteBatchRelease{UID: "u"}).Preconditions.UID)
}

// What the planner does not read of a route comes back as it was.
func TestRouteRoundTrip(t *testing.T) {
	const rules = `[
		{"name":"main","matches":[{"path":{"type":"PathPrefix","value":"/"}}],"filters":[{"type":"RequestMirror"}],"timeouts":{"request":"9s"},
		 "backendRefs":[{"group":"","kind":"Service","name":"web","port":80,"weight":1,"filters":[{"type":"URLRewrite"}]},{"kind":"Service","name":"web-canary","port":80,"weight":0}]},
		{"filters":[{"type":"RequestRedirect"}]}
	]`
	r := &kubekruise.HTTPRouteObject{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
	require.NoError(t, json.Unmarshal([]byte(rules), &r.Spec.Rules))
	route, err := kubekruise.HTTPRoute(r)
	require.NoError(t, err)
	require.Len(t, route.Rules, 2)
	require.Equal(t, "web", route.Name)
	require.EqualValues(t, 80, *route.Rules[0].BackendRefs[0].Port)
	require.JSONEq(t, `{"filters":[{"type":"RequestRedirect"}]}`, route.Rules[1].Rest)

	patch, err := kubekruise.RoutePatch(kruise.SetRoute{Name: "web", Rules: route.Rules})
	require.NoError(t, err)
	var patched struct {
		Spec struct{ Rules []json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(patch.Data, &patched))
	again, err := kubekruise.HTTPRoute(&kubekruise.HTTPRouteObject{ObjectMeta: r.ObjectMeta, Spec: struct {
		Rules []json.RawMessage `json:"rules,omitempty"`
	}{patched.Spec.Rules}})
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(route, again))
	require.Contains(t, string(patch.Data), `"timeouts":{"request":"9s"}`)
	require.NotContains(t, string(patch.Data), `"rest"`)

	weighted, err := kubekruise.RoutePatch(kruise.SetRoute{Rules: traffic.Weighted(route.Rules, "web", "web-canary", 20)})
	require.NoError(t, err)
	require.Contains(t, string(weighted.Data), `"weight":80`)
	require.Contains(t, string(weighted.Data), `"weight":20`)

	r.Spec.Rules = []json.RawMessage{json.RawMessage(`{"backendRefs":[7]}`)}
	_, err = kubekruise.HTTPRoute(r)
	require.ErrorIs(t, err, kplan.ErrInvalid)
	route, err = kubekruise.HTTPRoute(nil)
	require.NoError(t, err)
	require.Empty(t, route)
}

func TestNewBatchRelease(t *testing.T) {
	plan := batchrelease.ReleasePlan{BatchPartition: ptr.To(int32(0)), Batches: []batchrelease.Batch{{CanaryReplicas: rollout.Percent(20)}}}
	o := kubekruise.NewBatchRelease("shop", kruise.CreateBatchRelease{
		Name: "web", OwnerUID: "r1", Annotations: map[string]string{"a": "1"}, WorkloadRef: deploymentRef, ReleasePlan: plan,
	})
	require.Equal(t, "Rollout", o.OwnerReferences[0].Kind)
	require.EqualValues(t, "r1", o.OwnerReferences[0].UID)
	require.Empty(t, o.Status)
	require.Equal(t, plan.Hash(), kubekruise.BatchRelease(through(t, o)).ReleasePlan.Hash())

	o.ResourceVersion = "7"
	plan.BatchPartition = ptr.To(int32(1))
	updated := kubekruise.UpdatedBatchRelease(o, kruise.UpdateBatchRelease{Annotations: map[string]string{"b": "2"}, WorkloadRef: deploymentRef, ReleasePlan: plan})
	require.Equal(t, "7", updated.ResourceVersion)
	require.Equal(t, map[string]string{"b": "2"}, updated.Annotations)
	require.EqualValues(t, 1, *updated.Spec.ReleasePlan.BatchPartition)
	require.Equal(t, map[string]string{"a": "1"}, o.Annotations, "the object must not change")
	require.EqualValues(t, 0, *o.Spec.ReleasePlan.BatchPartition)
}

func TestNewCanaryObjects(t *testing.T) {
	d, _ := underRollout()
	d.Spec.Strategy.RollingUpdate = nil
	before := d.DeepCopy()
	canary := kubekruise.NewCanaryDeployment(d, "web", "b1", batchrelease.CreateCanary{
		GenerateName: "web-", Stable: "web", Labels: map[string]string{workload.LabelCanaryDeployment: "web"},
		PatchTemplate: &workload.TemplateMetadata{Labels: map[string]string{"version": "canary"}},
	})
	require.EqualValues(t, 0, *canary.Spec.Replicas)
	require.False(t, canary.Spec.Paused)
	require.Equal(t, []string{workload.FinalizerCanaryDeployment}, canary.Finalizers)
	require.Equal(t, "BatchRelease", canary.OwnerReferences[0].Kind)
	require.Equal(t, "canary", canary.Spec.Template.Labels["version"])
	require.Empty(t, canary.Name)
	require.Empty(t, cmp.Diff(before, d))
	apitest.RequireOwn(t, canary, d)
	require.NotNil(t, kubekruise.NewCanaryDeployment(nil, "", "", batchrelease.CreateCanary{}))
	named := kubekruise.NewCanaryDeployment(d, "web", "b1", batchrelease.CreateCanary{Name: "web-x", GenerateName: "web-"})
	require.Equal(t, "web-x", named.Name)
	require.Empty(t, named.GenerateName)
	require.Empty(t, named.Finalizers, "its owner has one")

	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", Labels: map[string]string{"a": "1"}},
		Spec: corev1.ServiceSpec{
			ClusterIP: "10.0.0.1", ClusterIPs: []string{"10.0.0.1"}, ExternalIPs: []string{"1.2.3.4"}, IPFamilies: []corev1.IPFamily{"IPv4"},
			IPFamilyPolicy: ptr.To(corev1.IPFamilyPolicySingleStack), LoadBalancerIP: "1.1.1.1", Type: "NodePort",
			Selector: map[string]string{"app": "web"}, Ports: []corev1.ServicePort{{Port: 80, NodePort: 30000}},
		},
	}
	copied := kubekruise.NewCanaryService(service, "web", kruise.CreateService{Name: "web-canary", OwnerUID: "r1", Selector: map[string]string{"app": "web", "hash": "v2"}})
	require.Empty(t, cmp.Diff(corev1.ServiceSpec{
		Type: "NodePort", Selector: map[string]string{"app": "web", "hash": "v2"}, Ports: []corev1.ServicePort{{Port: 80}},
	}, copied.Spec))
	require.Equal(t, "web-canary", copied.Name)
	require.EqualValues(t, "r1", copied.OwnerReferences[0].UID)
	service.Spec.Ports, copied.Spec.Ports = nil, nil // whose kinds of numbers have no other values
	apitest.RequireOwn(t, copied, service)
	require.Equal(t, traffic.Service{Name: "web", Selector: map[string]string{"app": "web"}}, kubekruise.Service(service))
	require.Empty(t, kubekruise.Service(nil))
}

// Only the paths to the stable Service have a canary.
func TestNewCanaryIngress(t *testing.T) {
	path := func(service string) networkingv1.HTTPIngressPath {
		return networkingv1.HTTPIngressPath{Path: "/" + service, Backend: networkingv1.IngressBackend{Service: &networkingv1.IngressServiceBackend{Name: service}}}
	}
	rule := func(host string, services ...string) networkingv1.IngressRule {
		r := networkingv1.IngressRule{Host: host}
		r.HTTP = &networkingv1.HTTPIngressRuleValue{}
		for _, s := range services {
			r.HTTP.Paths = append(r.HTTP.Paths, path(s))
		}
		return r
	}
	stable := &networkingv1.Ingress{
		ObjectMeta: metav1.ObjectMeta{Name: "in", Namespace: "shop", Annotations: map[string]string{"a": "1"}},
		Spec:       networkingv1.IngressSpec{Rules: []networkingv1.IngressRule{rule("a", "web", "api"), rule("b", "api"), {Host: "c"}}},
	}
	canary := kubekruise.NewCanaryIngress(stable, "web", kruise.SetIngress{
		Name: "in-canary", Create: true, Backend: "web-canary", Annotations: map[string]string{"nginx.ingress.kubernetes.io/canary": "true"},
	})
	require.Len(t, canary.Spec.Rules, 1)
	require.Len(t, canary.Spec.Rules[0].HTTP.Paths, 1)
	require.Equal(t, "web-canary", canary.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name)
	require.Equal(t, "web", stable.Spec.Rules[0].HTTP.Paths[0].Backend.Service.Name, "the object must not change")
	require.Equal(t, map[string]string{"nginx.ingress.kubernetes.io/canary": "true"}, canary.Annotations)
	apitest.RequireOwn(t, canary, stable)
	require.Equal(t, traffic.Ingress{Name: "in", Annotations: map[string]string{"a": "1"}}, kubekruise.Ingress(stable))
	require.Empty(t, kubekruise.Ingress(nil))
	require.NotNil(t, kubekruise.NewCanaryIngress(nil, "", kruise.SetIngress{}))
}
