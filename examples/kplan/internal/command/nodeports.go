// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// union adds those texts to a list that it does not have.
func union(list, more []string) []string {
	for _, text := range more {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// A nodePort is a port that a pod takes of its node.
type nodePort struct {
	protocol corev1.Protocol
	port     int32
	ip       string // "" is all
}

// nodePorts returns the ports of its node that a pod takes: those of its containers, and of init
// containers that run on. With hostNetwork the API server makes each port one of the node.
func nodePorts(spec *corev1.PodSpec) (list []nodePort) {
	containers := slices.Clone(spec.Containers)
	for _, c := range spec.InitContainers {
		if c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			containers = append(containers, c)
		}
	}
	for i := range containers {
		for _, p := range containers[i].Ports {
			port := nodePort{p.Protocol, p.HostPort, p.HostIP}
			if port.protocol == "" {
				port.protocol = corev1.ProtocolTCP
			}
			if port.ip == "0.0.0.0" {
				port.ip = ""
			}
			if spec.HostNetwork && port.port == 0 {
				port.port = p.ContainerPort
			}
			if port.port != 0 {
				list = append(list, port)
			}
		}
	}
	return list
}

// clashing returns the ports that two pods cannot both have on one node, such as 8080/TCP.
func clashing(a, b *corev1.PodSpec) (ports []string) {
	taken := nodePorts(b)
	for _, p := range nodePorts(a) {
		if slices.ContainsFunc(taken, func(q nodePort) bool {
			return p.protocol == q.protocol && p.port == q.port && (p.ip == q.ip || p.ip == "" || q.ip == "")
		}) {
			ports = union(ports, []string{fmt.Sprintf("%d/%s", p.port, p.protocol)})
		}
	}
	return ports
}
