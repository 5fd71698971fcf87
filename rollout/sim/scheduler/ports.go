// SPDX-License-Identifier: Apache-2.0

package scheduler

import (
	"slices"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// anyAddress stands for all addresses of a node.
const anyAddress = "0.0.0.0"

// full returns a port with its protocol and address.
func full(p cluster.HostPort) cluster.HostPort {
	if p.Protocol == "" {
		p.Protocol = "TCP"
	}
	if p.IP == "" {
		p.IP = anyAddress
	}
	return p
}

// usePorts notes the ports of a pod, or gives them back with the sign -1. Two pods may have the
// same one, if one of them was put there although it did not fit.
func (s *nodeState) usePorts(ports []cluster.HostPort, sign int) {
	for _, p := range ports {
		p = full(p)
		if sign > 0 {
			s.ports = append(s.ports, p)
		} else if i := slices.Index(s.ports, p); i >= 0 {
			s.ports = slices.Delete(s.ports, i, i+1)
		}
	}
}

// portsFree reports whether no pod uses one of the ports: the same number and protocol conflict
// on the same address, and on any if one of them is for all. A port that is not above 0 is none.
//
// It mirrors Filter of the scheduler plugin NodePorts.
func (s *nodeState) portsFree(ports []cluster.HostPort) bool {
	for _, p := range ports {
		p = full(p)
		conflict := func(o cluster.HostPort) bool {
			return o.Port == p.Port && o.Protocol == p.Protocol && (o.IP == p.IP || o.IP == anyAddress || p.IP == anyAddress)
		}
		if p.Port > 0 && slices.ContainsFunc(s.ports, conflict) {
			return false
		}
	}
	return true
}
