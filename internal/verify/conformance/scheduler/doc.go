// SPDX-License-Identifier: Apache-2.0

// Package scheduler has the filters of the real scheduler of Kubernetes answer about random nodes
// and pods, and compares package rollout/sim/nodes with them.
package scheduler
