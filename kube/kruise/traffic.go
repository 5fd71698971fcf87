// SPDX-License-Identifier: Apache-2.0

package kruise

import (
	"encoding/json"
	"maps"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"github.com/kplan-go/kplan"
	"github.com/kplan-go/kplan/kube"
	"github.com/kplan-go/kplan/kube/internal/convert"
	"github.com/kplan-go/kplan/rollout/kruise"
	"github.com/kplan-go/kplan/rollout/traffic"
)

// Service returns s as the rollout pass reads it. It shares the selector with s.
func Service(s *corev1.Service) traffic.Service {
	if s == nil {
		return traffic.Service{}
	}
	return traffic.Service{Name: s.Name, Selector: s.Spec.Selector}
}

// Ingress returns i as the rollout pass reads it. It shares its
// annotations.
func Ingress(i *networkingv1.Ingress) traffic.Ingress {
	if i == nil {
		return traffic.Ingress{}
	}
	return traffic.Ingress{Name: i.Name, Annotations: i.Annotations}
}

// An HTTPRouteObject is an HTTPRoute of gateway.networking.k8s.io in the form of the
// API, with the fields that a rollout reads, see [RolloutObject].
type HTTPRouteObject struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec struct {
		Rules []json.RawMessage `json:"rules,omitempty"`
	} `json:"spec"`
}

// HTTPRoute returns r as the rollout pass reads it. Other fields of a rule are kept as
// text. The error wraps [kplan.ErrInvalid].
func HTTPRoute(r *HTTPRouteObject) (traffic.Route, error) {
	if r == nil {
		return traffic.Route{}, nil
	}
	route := traffic.Route{Name: r.Name}
	for _, data := range r.Spec.Rules {
		var wire struct {
			Name        string            `json:"name"`
			Matches     []traffic.Match   `json:"matches"`
			BackendRefs []json.RawMessage `json:"backendRefs"`
		}
		rest, err := split(data, &wire, "name", "matches", "backendRefs")
		if err != nil {
			return traffic.Route{}, err
		}
		rule := traffic.Rule{Name: wire.Name, Matches: wire.Matches, Rest: rest}
		for _, ref := range wire.BackendRefs {
			var b traffic.BackendRef
			if b.Rest, err = split(ref, &b, "group", "kind", "name", "namespace", "port", "weight"); err != nil {
				return traffic.Route{}, err
			}
			if b.Kind == "" {
				b.Kind = "Service" // the API server's default
			}
			rule.BackendRefs = append(rule.BackendRefs, b)
		}
		route.Rules = append(route.Rules, rule)
	}
	return route, nil
}

// split decodes an object, and returns as text the members that are not among the keys.
func split(data []byte, into any, keys ...string) (rest string, err error) {
	members := map[string]json.RawMessage{}
	if err = json.Unmarshal(data, into); err == nil {
		err = json.Unmarshal(data, &members)
	}
	if err != nil {
		return "", &kplan.FieldError{Path: "spec.rules", Value: string(data), Detail: "must be rules of an HTTPRoute", Err: err}
	}
	for _, key := range keys {
		delete(members, key)
	}
	if len(members) == 0 {
		return "", nil
	}
	text, err := json.Marshal(members)
	return string(text), err
}

// join encodes an object together with the rest that split has returned.
func join(v any, rest string) (json.RawMessage, error) {
	data, err := json.Marshal(v)
	if err != nil || rest == "" {
		return data, err
	}
	members := map[string]json.RawMessage{}
	if err := json.Unmarshal([]byte(rest), &members); err != nil {
		return nil, &kplan.FieldError{Path: "rest", Value: rest, Detail: "must be a JSON object", Err: err}
	}
	delete(members, "rest")
	own := map[string]json.RawMessage{}
	if err := json.Unmarshal(data, &own); err != nil {
		return nil, err
	}
	maps.Copy(members, own)
	return json.Marshal(members)
}

// RoutePatch returns the merge patch that sets the rules of an HTTPRoute. The error
// wraps [kplan.ErrInvalid] and is about the fields of a rule that are kept as text.
func RoutePatch(a kruise.SetRoute) (kube.Patch, error) {
	rules := make([]json.RawMessage, len(a.Rules))
	for i, r := range a.Rules {
		refs := make([]json.RawMessage, len(r.BackendRefs))
		for j, b := range r.BackendRefs {
			rest := b.Rest
			b.Rest = ""
			data, err := join(b, rest)
			if err != nil {
				return kube.Patch{}, err
			}
			refs[j] = data
		}
		wire := struct {
			Name        string            `json:"name,omitempty"`
			Matches     []traffic.Match   `json:"matches,omitempty"`
			BackendRefs []json.RawMessage `json:"backendRefs,omitempty"`
		}{r.Name, r.Matches, refs}
		data, err := join(wire, r.Rest)
		if err != nil {
			return kube.Patch{}, err
		}
		rules[i] = data
	}
	return objectPatch(map[string]any{"spec": map[string]any{"rules": rules}})
}

// NewCanaryService returns the Service that a creates: a copy of the stable one with
// another selector, without fields that only the stable one may have. Its owner is the
// Rollout, given by name. It shares nothing with stable.
func NewCanaryService(stable *corev1.Service, rolloutName string, a kruise.CreateService) *corev1.Service {
	stable = convert.Or(stable)
	s := &corev1.Service{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: stable.Namespace, Name: a.Name, Labels: maps.Clone(stable.Labels), Annotations: maps.Clone(stable.Annotations),
			OwnerReferences: []metav1.OwnerReference{rolloutOwner(rolloutName, a.OwnerUID)},
		},
		Spec: *stable.Spec.DeepCopy(),
	}
	s.Spec.Selector = maps.Clone(a.Selector)
	s.Spec.ClusterIP, s.Spec.ClusterIPs, s.Spec.ExternalIPs = "", nil, nil
	s.Spec.IPFamilies, s.Spec.IPFamilyPolicy, s.Spec.LoadBalancerIP = nil, nil, ""
	for i := range s.Spec.Ports {
		s.Spec.Ports[i].NodePort = 0
	}
	return s
}

func rolloutOwner(name, uid string) metav1.OwnerReference {
	return metav1.OwnerReference{
		APIVersion: V1beta1, Kind: "Rollout", Name: name, UID: types.UID(uid),
		Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true),
	}
}

// NewCanaryIngress returns the Ingress that a creates. It has only those paths of the
// stable Ingress that lead to the stable Service, and leads them to the backend of a
// instead. It shares nothing with stable.
func NewCanaryIngress(stable *networkingv1.Ingress, stableService string, a kruise.SetIngress) *networkingv1.Ingress {
	stable = convert.Or(stable)
	i := &networkingv1.Ingress{
		TypeMeta: metav1.TypeMeta{APIVersion: "networking.k8s.io/v1", Kind: "Ingress"},
		ObjectMeta: metav1.ObjectMeta{
			Namespace: stable.Namespace, Name: a.Name, Labels: maps.Clone(stable.Labels), Annotations: maps.Clone(a.Annotations),
		},
		Spec: *stable.Spec.DeepCopy(),
	}
	i.Spec.Rules = nil
	for _, rule := range stable.Spec.DeepCopy().Rules {
		if rule.HTTP == nil {
			continue
		}
		var paths []networkingv1.HTTPIngressPath
		for _, p := range rule.HTTP.Paths {
			if p.Backend.Service != nil && p.Backend.Service.Name == stableService {
				p.Backend.Service.Name = a.Backend
				paths = append(paths, p)
			}
		}
		if len(paths) > 0 {
			rule.HTTP.Paths = paths
			i.Spec.Rules = append(i.Spec.Rules, rule)
		}
	}
	return i
}
