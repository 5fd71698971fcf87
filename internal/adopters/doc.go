// SPDX-License-Identifier: Apache-2.0

// Package adopters shows what a project that carries its own copy of such planners would
// write instead: adapters from its terms to those of kplan, short, and in text of our own. Its
// tests run the recorded cases of these projects through them, and count those that no
// adapter is for. Those of LeaderWorkerSet, Argo Rollouts and native DaemonSets are run where
// the numbers are: in rollout/ordinal, rollout/argo and rollout/batchrelease; the sizes of
// CloneSets in internal/podset.
package adopters
