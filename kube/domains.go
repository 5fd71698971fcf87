// SPDX-License-Identifier: Apache-2.0

package kube

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/podorder"
)

// Domains returns the failure domain of each node: the value of the label with this
// key, such as topology.kubernetes.io/zone. Nodes without the label share one domain.
func Domains(nodes []*corev1.Node, label string) podorder.Domains {
	domains := make(podorder.Domains, len(nodes))
	for _, n := range nodes {
		if n != nil {
			domains[n.Name] = n.Labels[label]
		}
	}
	return domains
}
