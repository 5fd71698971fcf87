// SPDX-License-Identifier: Apache-2.0

package sim

import "github.com/kplan-go/kplan/podorder"

// spread returns how many of the pods run in each zone and are not being deleted.
func spread(pods []*podorder.Pod, zones podorder.Domains) map[string]int32 {
	var counts map[string]int32
	for _, zone := range zones {
		if zone != "" {
			if counts == nil {
				counts = map[string]int32{}
			}
			counts[zone] = 0
		}
	}
	if counts == nil {
		return nil
	}
	for _, p := range pods {
		if zone := zones[p.NodeName]; zone != "" && p.Active() {
			counts[zone]++
		}
	}
	return counts
}

// Skew returns by how many pods the fullest zone and the emptiest differ.
func (s *Step) Skew() int32 {
	least, most, first := int32(0), int32(0), true
	for _, n := range s.Zones {
		if first {
			least, most, first = n, n, false
		}
		least, most = min(least, n), max(most, n)
	}
	return most - least
}

// Place moves the pods that run on none of the nodes to these, in turn.
func (c *Cluster) Place(nodes []string) {
	known := map[string]bool{}
	for _, name := range nodes {
		known[name] = true
	}
	next := 0
	for i, p := range c.Pods {
		if len(nodes) > 0 && p.NodeName != "" && !known[p.NodeName] {
			moved := *p
			moved.NodeName = nodes[next%len(nodes)]
			c.Pods[i] = &moved
			next++
		}
	}
}
