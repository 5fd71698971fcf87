// SPDX-License-Identifier: Apache-2.0

// Package apiserver is the API server of a simulated cluster: it answers requests.
//
//	controller --Ask--> network (lost, repeated) --> preconditions --> admission --> store
//	    ^                                                                              |
//	    +------------------------------ Answer ----------------------------------------+
//
// A refusal is an [Answer] that is not [Done]. What quotas have left is counted in quota.go, and pods are
// refused in forbid.go; budgets refuse in eviction.go.
package apiserver
