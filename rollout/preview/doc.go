// SPDX-License-Identifier: Apache-2.0

// Package preview goes through all steps of a Rollout of OpenKruise beforehand, in a cluster
// where every pod becomes available.
//
// Start with [Of], which returns the sizes behind each pass of each step, and with
// [Warnings], which names what is accepted but does harm:
//
//	plan, err := preview.Of(preview.Input{Rollout: r, Replicas: 6}, kruise.Options{})
//
// The sizes are computed by the functions that plan:
//
//	step of kruise.Rollout --> kruise.ReleaseOf --> batchrelease.NewContext
//	                                                        |
//	    [Sizes] of a pass <-- partition.NewSize, OldLimit <-+
package preview
