// SPDX-License-Identifier: Apache-2.0

package cluster

import (
	"time"

	"github.com/kplan-go/kplan/daemonset"
	"github.com/kplan-go/kplan/selector"
)

// A Template says what the API server, the scheduler and nodes read of a pod template. The zero Template
// needs nothing and goes to any node that takes pods.
type Template struct {
	Needs        []int64                `json:"needs,omitempty"`  // requests of each resource; other requests are 0
	Limits       []int64                `json:"limits,omitempty"` // limits of each resource, which quotas count as well
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
	// Unset are the containers that do not set what a quota may ask for, by its name: requests.cpu,
	// requests.memory, limits.cpu and limits.memory. A quota of it refuses the pods.
	Unset map[string][]string `json:"unset,omitempty"`
	// Refused is why the API server takes no pod of the template, in its words, such as those of a
	// limit range; "" if it takes them.
	Refused string `json:"refused,omitzero"`
	// ReadyAfter is how long its pods take from running to being ready at least, by its probes.
	ReadyAfter time.Duration `json:"readyAfter,omitzero"` // nanoseconds
	// EndAfter and EndWithin are how long its pods take to end at least and at most: the sleep of its
	// preStop hook, and its grace period; 0 means no limit.
	EndAfter    time.Duration `json:"endAfter,omitzero"`
	EndWithin   time.Duration `json:"endWithin,omitzero"`
	Times       *Times        `json:"times,omitempty"`      // nil means those of the world
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

// A PodTerm names other pods by their labels, and the nodes that count as one place.
type PodTerm struct {
	Selector    *selector.LabelSelector `json:"selector,omitempty"`   // nil selects no pods
	Namespaces  []string                `json:"namespaces,omitempty"` // none mean that of the pod
	TopologyKey string                  `json:"topologyKey"`          // a label of nodes: those with one value are one place
}

// A TopologySpread limits by how many pods the places of nodes may differ.
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
