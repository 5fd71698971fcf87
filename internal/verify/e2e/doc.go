// SPDX-License-Identifier: Apache-2.0

// Package e2e runs the controllers of examples/controller, and the controllers of Kubernetes,
// against a real API server. It contains only tests; package cluster has the server and the other
// components.
//
// Each script runs twice, in separate namespaces: once with our controllers and once with
// upstream's. The objects at the end must be equal, and also the events unless they depend on
// timing. The bounds must hold after every single write to etcd, which the recorder reads.
package e2e
