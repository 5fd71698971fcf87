// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/selector"
)

// A Template holds the fields of a pod template that the API server, the scheduler and nodes read.
// The zero Template needs nothing and fits any node that takes pods.
type Template struct {
	Needs  []int64 `json:"needs,omitempty"`  // requests of each resource; other requests are 0
	Limits []int64 `json:"limits,omitempty"` // limits of each resource, which quotas count as well
	// NodeName is the node on which its pods are created, without a scheduler that checks whether
	// they fit; "" means none. On a node that the cluster has not, they stay Pending.
	NodeName     string                 `json:"nodeName,omitzero"`
	NodeSelector map[string]string      `json:"nodeSelector,omitempty"`
	Affinity     *selector.NodeSelector `json:"affinity,omitempty"` // required node affinity
	Tolerations  []daemonset.Toleration `json:"tolerations,omitempty"`
	HostPorts    []HostPort             `json:"hostPorts,omitempty"`
	// PodAffinity and PodAntiAffinity are the required terms.
	PodAffinity     []PodTerm `json:"podAffinity,omitempty"`
	PodAntiAffinity []PodTerm `json:"podAntiAffinity,omitempty"`
	// TopologySpread are the constraints with whenUnsatisfiable DoNotSchedule.
	TopologySpread []TopologySpread `json:"topologySpread,omitempty"`
	Claims         []Claim          `json:"claims,omitempty"` // of volumes that one node, or one pod, may use at a time
	PriorityClass  string           `json:"priorityClass,omitzero"`
	// Unset are the containers that do not set a resource of a quota, by its name: requests.cpu,
	// requests.memory, limits.cpu and limits.memory. A quota of that resource refuses the pods.
	Unset map[string][]string `json:"unset,omitempty"`
	// Refused is the message with which the API server refuses pods of the template, for instance
	// because of a limit range; "" if it accepts them.
	Refused string `json:"refused,omitzero"`
	// ReadyAfter is the least time between running and ready, by the probes.
	ReadyAfter time.Duration `json:"readyAfter,omitzero"` // nanoseconds
	// EndAfter and EndWithin are the least and the longest time in which its pods end: the sleep of
	// the preStop hook, and the grace period; 0 means no limit.
	EndAfter    time.Duration `json:"endAfter,omitzero"`
	EndWithin   time.Duration `json:"endWithin,omitzero"`
	Times       *Times        `json:"times,omitempty"`      // nil means the times of the world
	NeverReady  bool          `json:"neverReady,omitzero"`  // its pods start, and stay unready
	NeverStarts bool          `json:"neverStarts,omitzero"` // its pods stay Pending on their nodes, as without their images
	Unplaceable bool          `json:"unplaceable,omitzero"` // no node takes its pods
}

// A HostPort is a port of the node that a container uses.
type HostPort struct {
	Port     int32  `json:"port"`
	Protocol string `json:"protocol,omitzero"` // "" means TCP
	IP       string `json:"ip,omitzero"`       // "" and 0.0.0.0 mean all addresses of the node
}

// A PodTerm selects other pods by their labels, and groups nodes into places.
type PodTerm struct {
	Selector    *selector.LabelSelector `json:"selector,omitempty"`   // nil selects no pods
	Namespaces  []string                `json:"namespaces,omitempty"` // none mean the namespace of the pod
	TopologyKey string                  `json:"topologyKey"`          // a label of nodes: nodes with the same value are one place
}

// A TopologySpread limits the difference in pods between places.
type TopologySpread struct {
	MaxSkew     int32                   `json:"maxSkew"`
	MinDomains  int32                   `json:"minDomains,omitzero"` // 0 means 1
	TopologyKey string                  `json:"topologyKey"`
	Selector    *selector.LabelSelector `json:"selector,omitempty"` // nil selects no pods
	// IgnoreAffinity and HonorTaints are nodeAffinityPolicy Ignore and nodeTaintsPolicy Honor:
	// which nodes count. By default the nodes that match the node selector and affinity count.
	IgnoreAffinity bool `json:"ignoreAffinity,omitzero"`
	HonorTaints    bool `json:"honorTaints,omitzero"`
}

// A Claim is a PersistentVolumeClaim that not every pod can use at once.
type Claim struct {
	Name   string `json:"name"`            // "namespace/name"
	OnePod bool   `json:"onePod,omitzero"` // ReadWriteOncePod; otherwise ReadWriteOnce: the pods of one node
}
