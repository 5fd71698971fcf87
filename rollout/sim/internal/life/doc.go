// SPDX-License-Identifier: Apache-2.0

// Package life lets pods live on nodes, as the scheduler, kubelets, and the node controller do.
//
//	created --Schedule--> bound --Pull--> pulled --Start--> running --Ready--> ready
//	             |                                                       (schedule.go, start.go)
//	             +--no node--> waits until there is room
//	deletion timestamp --End--> gone, unless the node does not answer    (end.go)
//	             +--a finalizer--> its containers are gone, and it stays
//	node stops to answer: its pods are not ready, do not start, do not end (nodes.go)
//
// A pod that was seen held stays as it is: not ready, without a node, or there after its end.
//
// It watches the pods of the store: regardless of the writer, the life of a pod goes on. How
// long a stage takes is drawn from the times of the pod's template.
package life
