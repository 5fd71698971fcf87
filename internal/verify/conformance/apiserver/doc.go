// SPDX-License-Identifier: Apache-2.0

// Package apiserver is an API server in memory with the behavior that workload controllers depend
// on: UIDs and resource versions, generations, the status subresource, conflicts and preconditions,
// graceful deletion, and patches.
//
// Two controllers can be compared through its two clients: [Server.Clientset] for the controllers
// of Kubernetes and [Server.Client] for the executor of plans. Each side writes to its own server.
// Calls are counted, and rules can make them fail. A rule selects calls by purpose and not by verb,
// since the two sides use different verbs for the same purpose.
package apiserver
