// SPDX-License-Identifier: Apache-2.0

package command

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// union adds the texts that a list does not contain.
func union(list, more []string) []string {
	for _, text := range more {
		if !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

// A nodePort is a port of the node that a pod uses.
type nodePort struct {
	protocol corev1.Protocol
	port     int32
	ip       string // "" is all
}

// nodePorts returns the host ports of a pod: ports of its containers and of its sidecar
// containers. With hostNetwork the API server makes each container port a host port.
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

// clashing returns the host ports that two pods cannot both use on one node, such as 8080/TCP.
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
