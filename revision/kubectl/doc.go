// SPDX-License-Identifier: Apache-2.0

// Package kubectl implements the commands of kubectl rollout as pure functions: status, history,
// undo, pause, resume and restart of Deployments, and history and undo of StatefulSets and
// DaemonSets.
//
// Start with [History], which returns the revisions of a Deployment as kubectl lists them, and
// [PlanUndo], which plans an undo. Functions return values and texts; they print and write nothing.
//
//	ReplicaSets as revision.Entry ─┬─History──> rows ──Show, FormatTable──> text
//	                               ├─PlanUndo─> Undo: the entry to restore
//	                               └─Target───> the entry, without kubectl's limitations
//	ControllerRevisions ───────────┬─RevisionHistory──> rows
//	                               └─UndoRevision─────> Undo
//	Deployment ──Report──> the output of kubectl rollout status, and whether it stops
//	paused? ──Pause, Resume, Restart──> nil, or the error of kubectl
//
// If kubectl refuses a command, the error is a [Refusal] with kubectl's text. A template that is
// used again gets a new revision, and kubectl does not find its former revision. [FullHistory] and
// [Target] find it.
//
// The results are the same as in kubectl 0.36.3. The rules by name, the invariants, the
// deviations and the limitations are in rules.md.
package kubectl
