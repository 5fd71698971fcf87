// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// A templateReader reads the fields of a pod template that matter to a simulated
// cluster.
type templateReader struct {
	namespace string
	resources []corev1.ResourceName
	claims    map[string][]corev1.PersistentVolumeAccessMode // by "namespace/name"
	unseen    map[string]bool
}

// template returns the fields of a pod template that scheduler and nodes read, and notes the
// fields that a simulated cluster ignores.
func (r *templateReader) template(spec *corev1.PodSpec, labels map[string]string) cluster.Template {
	t := cluster.Template{
		Needs: PodRequests(spec, r.resources), NodeName: spec.NodeName, NodeSelector: spec.NodeSelector, Tolerations: Tolerations(spec.Tolerations),
		HostPorts: hostPorts(spec), Claims: r.claimsOf(spec),
	}
	if a := spec.Affinity; a != nil {
		r.affinity(a, &t, labels)
	}
	for i := range spec.TopologySpreadConstraints {
		r.spread(&spec.TopologySpreadConstraints[i], &t, labels)
	}
	lifeOf(spec, &t)
	if len(spec.ResourceClaims) > 0 {
		r.unseen[unseenResourceClaims] = true
	}
	if len(spec.SchedulingGates) > 0 {
		r.unseen[unseenGates] = true
	}
	return t
}

// hostPorts returns the host ports of a pod: of its containers, and of init containers that
// keep running. With hostNetwork the API server makes each port a host port.
func hostPorts(spec *corev1.PodSpec) (ports []cluster.HostPort) {
	containers := slices.Clone(spec.Containers)
	for _, c := range spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			containers = append(containers, c)
		}
	}
	for i := range containers {
		for _, p := range containers[i].Ports {
			port := cluster.HostPort{Port: p.HostPort, Protocol: string(p.Protocol), IP: p.HostIP}
			if spec.HostNetwork && port.Port == 0 {
				port.Port = p.ContainerPort
			}
			if port.Port != 0 {
				ports = append(ports, port)
			}
		}
	}
	return ports
}

func (r *templateReader) affinity(a *corev1.Affinity, t *cluster.Template, labels map[string]string) {
	if n := a.NodeAffinity; n != nil {
		t.Affinity = NodeSelector(n.RequiredDuringSchedulingIgnoredDuringExecution)
		r.preferred(len(n.PreferredDuringSchedulingIgnoredDuringExecution))
	}
	if p := a.PodAffinity; p != nil {
		t.PodAffinity = r.terms(p.RequiredDuringSchedulingIgnoredDuringExecution, labels)
		r.preferred(len(p.PreferredDuringSchedulingIgnoredDuringExecution))
	}
	if p := a.PodAntiAffinity; p != nil {
		t.PodAntiAffinity = r.terms(p.RequiredDuringSchedulingIgnoredDuringExecution, labels)
		r.preferred(len(p.PreferredDuringSchedulingIgnoredDuringExecution))
	}
}

// preferred notes preferences: they decide between nodes that fit a pod.
func (r *templateReader) preferred(n int) {
	if n > 0 {
		r.unseen[unseenPreferences] = true
	}
}

func (r *templateReader) terms(list []corev1.PodAffinityTerm, labels map[string]string) (terms []cluster.PodTerm) {
	for i := range list {
		t := &list[i]
		if t.NamespaceSelector != nil {
			r.unseen[unseenNamespaces] = true
		}
		terms = append(terms, cluster.PodTerm{
			Selector:    LabelSelector(withKeys(t.LabelSelector, labels, t.MatchLabelKeys, t.MismatchLabelKeys)),
			TopologyKey: t.TopologyKey, Namespaces: t.Namespaces,
		})
	}
	return terms
}

// withKeys returns a selector that also requires the values of the pod's own labels for some
// keys, and other values for other keys.
func withKeys(s *metav1.LabelSelector, labels map[string]string, match, mismatch []string) *metav1.LabelSelector {
	if s == nil || len(match)+len(mismatch) == 0 {
		return s
	}
	s = s.DeepCopy()
	add := func(keys []string, op metav1.LabelSelectorOperator) {
		for _, key := range keys {
			if value, ok := labels[key]; ok {
				s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: []string{value}})
			}
		}
	}
	add(match, metav1.LabelSelectorOpIn)
	add(mismatch, metav1.LabelSelectorOpNotIn)
	return s
}

func (r *templateReader) spread(c *corev1.TopologySpreadConstraint, t *cluster.Template, labels map[string]string) {
	if c.WhenUnsatisfiable != corev1.DoNotSchedule {
		r.preferred(1)
		return
	}
	s := cluster.TopologySpread{
		MaxSkew: c.MaxSkew, TopologyKey: c.TopologyKey, Selector: LabelSelector(withKeys(c.LabelSelector, labels, c.MatchLabelKeys, nil)),
		IgnoreAffinity: c.NodeAffinityPolicy != nil && *c.NodeAffinityPolicy == corev1.NodeInclusionPolicyIgnore,
		HonorTaints:    c.NodeTaintsPolicy != nil && *c.NodeTaintsPolicy == corev1.NodeInclusionPolicyHonor,
	}
	if c.MinDomains != nil {
		s.MinDomains = *c.MinDomains
	}
	t.TopologySpread = append(t.TopologySpread, s)
}

// claimsOf returns the claims of a pod that cannot be used by all pods at once.
func (r *templateReader) claimsOf(spec *corev1.PodSpec) (claims []cluster.Claim) {
	for i := range spec.Volumes {
		of := spec.Volumes[i].PersistentVolumeClaim
		if of == nil {
			continue
		}
		name := qualified(r.namespace, of.ClaimName)
		modes, known := r.claims[name]
		switch {
		case !known:
			r.unseen[unseenClaims] = true
		case slices.Contains(modes, corev1.ReadWriteOncePod):
			claims = append(claims, cluster.Claim{Name: name, OnePod: true})
		case slices.Equal(modes, []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}):
			claims = append(claims, cluster.Claim{Name: name})
			r.unseen[unseenVolumes] = true
		}
	}
	return claims
}
