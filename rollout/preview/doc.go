// SPDX-License-Identifier: Apache-2.0

// Package preview shows all steps of a Rollout of OpenKruise in advance, in a cluster where
// every pod becomes available.
//
// Start with [Of], which returns the sizes after each pass of each step, and with
// [Warnings], which lists harmful settings that admission accepts:
//
//	plan, err := preview.Of(preview.Input{Rollout: r, Replicas: 6}, kruise.Options{})
//
// The sizes are computed by the functions of the planner:
//
//	step of kruise.Rollout --> kruise.ReleaseOf --> batchrelease.NewContext
//	                                                        |
//	    [Sizes] of a pass <-- partition.NewSize, OldLimit <-+
package preview
