// SPDX-License-Identifier: Apache-2.0

// Package kubectl answers what kubectl rollout shows and does: status, history, undo, pause,
// resume and restart, of Deployments, StatefulSets and DaemonSets.
//
// Start with [History], the revisions of a Deployment as kubectl lists them, and [PlanUndo],
// which decides what an undo does. Nothing is printed or written: answers are values, and
// texts are returned.
//
//	ReplicaSets as revision.Entry ─┬─History──> rows ──Show──> one ──FormatTable──> text
//	                               ├─PlanUndo─> Undo: the entry whose template is restored
//	                               └─Target───> the same with its limitations made up for
//	ControllerRevisions ───────────┬─RevisionHistory──> rows
//	                               └─UndoRevision─────> Undo
//	Deployment ──Report──> what kubectl rollout status prints, and whether it stops
//	paused? ──Pause, Resume, Restart──> nothing is wrong, or why kubectl does nothing
//
// Where kubectl does nothing, the error is a [Refusal] with kubectl's own text. [FullHistory]
// and [Target] find revisions that kubectl no longer does, because a template that is used
// again moves on to a new number.
//
// The answers are those of kubectl 0.36.3. The rules by name, the invariants, the deviations
// and the limitations are in rules.md.
package kubectl
