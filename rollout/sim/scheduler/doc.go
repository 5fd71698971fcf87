// SPDX-License-Identifier: Apache-2.0

// Package scheduler finds the nodes that a pod fits, by the rules of the filters of the Kubernetes
// scheduler. It knows the nodes and the pods on them.
//
//	Set, Remove --> nodes ----+
//	                          |--> Fits, Why, FitsPinned ... of one node
//	Take, Release, Relabel    |--> First, BinPack .......... of all nodes
//	           |              `--> Explain ................. all refusals, for people
//	           v              |
//	         pods on nodes ---+
//
// The filters, in the order of the scheduler:
//
//	Unschedulable      the node is cordoned
//	NotReady           the node does not answer
//	TaintNotTolerated  the pod does not tolerate a taint NoSchedule or NoExecute
//	NodeAffinity       the node selector or affinity does not select it
//	HostPort           a pod there uses the port
//	Insufficient       it has too little room left
//	VolumeInUse        a pod uses the claim
//	TopologySpread     its place would have too many pods more than another
//	PodAffinity        no pod of a required term is in its place
//	PodAntiAffinity    a pod in its place must not be near this one, by its own terms or the other's
//
// A place is all nodes with one value of a label, the topology key. Filters read the labels of
// nodes only: a node without the label kubernetes.io/hostname is no place of that key, as for the
// scheduler. How many pods a node takes is one more resource, of which each template needs 1.
//
// First asks a tree over the room of nodes, so that many nodes take as long as few. Pods of terms
// are counted by place when a pod asks for them first, and from then on with each change. Pods
// without terms pay nothing for the terms of others, but for anti-affinity of pods on nodes.
//
// A Nodes is for one goroutine: questions keep their counts in it.
package scheduler
