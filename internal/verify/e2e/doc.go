// SPDX-License-Identifier: Apache-2.0

// Package e2e runs the controllers of examples/controller, and those of Kubernetes,
// against a real API server. It contains only tests; package cluster holds the server
// and what surrounds it.
//
// Each script runs twice, in a namespace of its own: once with our controllers and
// once with upstream's. The objects at the end must be equal, and so must the events
// where they are not left to chance. The bounds must hold after every single write to
// etcd, which is what the recorder reads.
package e2e
