// SPDX-License-Identifier: Apache-2.0

// Package apiserver is the API server of a simulated cluster: it answers requests.
//
//	controller --Ask--> network (lost, repeated) --> preconditions --> admission --> store
//	    ^                                                                              |
//	    +------------------------------ Answer ----------------------------------------+
//
// A refusal is an [Answer] that is not [Done]. quota.go counts the usage of quotas, and forbid.go
// refuses pods; budgets refuse evictions in eviction.go.
package apiserver
