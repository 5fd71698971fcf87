// SPDX-License-Identifier: Apache-2.0

// Package traffic leads requests to new pods: by rules of an HTTPRoute, and by annotations of
// an Ingress.
//
// Start with [Weighted], [Matched] and [Restored], which return the rules of a route that
// lead a share of the requests, or those that match, to a canary Service, and none again:
//
//	rules = traffic.Weighted(rules, "web", "web-canary", 20)
//
// An [IngressClass] says with which annotations an Ingress is told the same, as data.
//
//	Strategy of a step: weight, matches, headers
//	        |                         |
//	     Weighted, Matched      IngressClass.Annotations
//	        |                         |
//	  rules of an HTTPRoute     annotations of the canary Ingress
//	        |                         |
//	     Restored               the canary Ingress is deleted
//
// When traffic is led is planned by package kruise: its file traffic.go says what happens
// before a batch, while it runs and behind it. The functions mirror OpenKruise Rollouts
// (commit 9dd6279d), slips included. The rules are in rules.md of this folder.
package traffic
