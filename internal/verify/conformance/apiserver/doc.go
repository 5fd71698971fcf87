// SPDX-License-Identifier: Apache-2.0

// Package apiserver is an API server in memory, as far as controllers of workloads
// notice: UIDs and resource versions, generations, the status subresource, conflicts
// and preconditions, graceful deletion, and patches.
//
// It has two fronts, so that two controllers can be compared: [Server.Clientset] for
// those of Kubernetes and [Server.Client] for what carries out plans. Each writes to a
// server of its own. Calls are counted, and may be answered with failures by rules
// that go by what a call is for and not by its verb, since the two sides use different
// verbs for the same thing.
package apiserver
