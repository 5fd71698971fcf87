// SPDX-License-Identifier: Apache-2.0

// Package traffic routes requests to new pods: by rules of an HTTPRoute, and by annotations
// of an Ingress.
//
// Start with [Weighted] and [Matched], which return the rules of a route that send a share
// of the requests, or matching requests, to a canary Service, and [Restored], which returns
// the rules without it:
//
//	rules = traffic.Weighted(rules, "web", "web-canary", 20)
//
// An [IngressClass] describes the annotations that do the same for an Ingress, as data.
//
//	Strategy of a step: weight, matches, headers
//	        |                         |
//	     Weighted, Matched      IngressClass.Annotations
//	        |                         |
//	  rules of an HTTPRoute     annotations of the canary Ingress
//	        |                         |
//	     Restored               the canary Ingress is deleted
//
// Package kruise plans when traffic changes: its file traffic.go has the order before,
// during and after a batch. The functions mirror OpenKruise Rollouts (commit 9dd6279d),
// slips included. The rules are in rules.md of this folder.
package traffic
