// SPDX-License-Identifier: Apache-2.0

// Package scheduler runs the filters of the real Kubernetes scheduler on random nodes and pods, and
// compares package rollout/sim/scheduler with them.
package scheduler
