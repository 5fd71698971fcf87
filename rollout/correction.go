package rollout

// A Correction repairs one defect of OpenKruise Rollouts, which the package comment
// lists.
type Correction string

// The corrections.
const (
	// CorrectOldOrder cuts the middle templates before the stable one, however many there
	// are (D1). Package deploy has it too; here only [Preview] looks at it.
	CorrectOldOrder Correction = "D1"
	// CorrectMixedPartitions compares a number with a percentage by the pods that
	// they mean (D2).
	CorrectMixedPartitions Correction = "D2"
	// CorrectFrozen resumes a Deployment that a rollback would leave paused: because its
	// BatchRelease was gone already, as in the reset of a continuous release, or because
	// none had taken it over yet (D3).
	CorrectFrozen Correction = "D3"
	// CorrectShares keeps exact numbers of old pods of a CloneSet where no
	// percentage does (D4).
	CorrectShares Correction = "D4"
	// CorrectEmptyRelease ends a rollout that would release what is there: one that was
	// rolled back while it was initializing, or that admission has let in although all
	// pods have the template, whose revision it names as the stable one then. None begins
	// while the workload is seen as it was before its update (D5).
	CorrectEmptyRelease Correction = "D5"
	// CorrectLeak creates no pod of the new template at partition 0 (D6).
	CorrectLeak Correction = "D6"
	// CorrectRolloutID reads the rollout id from the annotation and, if that is
	// empty, from the label, in admission and in the rollout pass alike (D7).
	CorrectRolloutID Correction = "D7"
	// CorrectDefaults defaults an unset surge to 25% and leaves the other limit
	// (D8).
	CorrectDefaults Correction = "D8"
	// CorrectNoCanaryService does not pin the stable Service where the canary
	// Service is switched off, and leads no traffic to a canary Service that is not there
	// when a blue-green release closes, since its last step had no traffic (D9).
	CorrectNoCanaryService Correction = "D9"
	// CorrectStrategyType restores Recreate to a Deployment that had it (D10).
	CorrectStrategyType Correction = "D10"
	// CorrectThreshold takes what the workload may have unavailable for an unset
	// failure threshold, and percentages of what is desired (D11).
	CorrectThreshold Correction = "D11"
	// CorrectGone restores the traffic when the workload disappears (D12).
	CorrectGone Correction = "D12"
	// CorrectAbandon leaves a workload paused, where it stands, that is given back
	// because its Rollout is deleted or disabled in the middle, instead of finishing
	// the release. What has been rolled back is resumed all the same, whatever template
	// comes meanwhile, and so is a DaemonSet whose release succeeded (D13). Blue-green
	// releases are not touched.
	CorrectAbandon Correction = "D13"
	// CorrectRoutes repairs the rules of an HTTPRoute (D14).
	CorrectRoutes Correction = "D14"
	// CorrectLastPause honours the pause of the last step whatever its size is
	// written as (D16).
	CorrectLastPause Correction = "D16"
	// CorrectNativeVictims leaves pods that are being deleted out of the list of
	// pods of a native DaemonSet to delete, and does not save OnDelete as what to
	// restore (D19).
	CorrectNativeVictims Correction = "D19"
	// CorrectMessages writes the messages of a step to the condition too, and moves
	// a next step that does not exist back (D23).
	CorrectMessages Correction = "D23"
	// CorrectGrace takes a grace of 0 for 0 in routing too (D24).
	CorrectGrace Correction = "D24"
	// CorrectDeadline reports a batch that is not ready when the workload's
	// progressDeadlineSeconds have passed, and lets the result of an analysis, see
	// [Snapshot].Analysis, decide whether a step goes on (D25).
	CorrectDeadline Correction = "D25"
	// CorrectCanaryBatch waits for the labels of the pods of a canary too, and shrinks
	// the canary if a step that is jumped back to asks for fewer pods (D27).
	CorrectCanaryBatch Correction = "D27"
	// CorrectOrdinals labels the pods of a StatefulSet that is updated in order by that
	// order, not by that of the list, and not only while rolling back (D28).
	CorrectOrdinals Correction = "D28"
	// CorrectSuffix takes a hash for that of a revision only if it is all of it, or all
	// that stands behind its last hyphen (D29).
	CorrectSuffix Correction = "D29"
	// CorrectFullFirstStep does not pin the stable Service before a first step that
	// updates all pods. Without it the Service is pinned and released in turn, for
	// ever, if there is a grace. Nor is it pinned to a revision whose pods are gone, when
	// somebody jumps back from a step that updates all pods, or changes the template then
	// (D30, found here).
	CorrectFullFirstStep Correction = "D30"
	// CorrectOtherTemplate releases no pod of another template that comes in the middle of a
	// release, as far as the rollout id tells: blue-green, or by partition of another kind
	// than a Deployment. It resumes a blue-green workload, which admission has paused for it,
	// once it is taken back, and tells the helper of native DaemonSets the revision of a batch
	// that follows another one at the same partition. Nor does it take a Deployment over, by
	// partition or with a canary, whose template has changed since the BatchRelease was
	// created: the first batch would release that template, which the Rollout has not seen
	// (D31, found here).
	CorrectOtherTemplate Correction = "D31"
	// CorrectPromoted follows a template that all pods have. Without it a BatchRelease does
	// not notice that another template is taken back which no pod has had, and labels no
	// pod any more (D32, found here).
	CorrectPromoted Correction = "D32"
	// CorrectNextRelease releases an update next that is let in while the Rollout of the one
	// before is being closed after a success or, together with D13, a rollback: no pod is
	// updated before. Without it the workload loses its mark, and the update is rolled out
	// at once if the workload is still driven, or stays paused if it has been given back.
	// It is let in although two versions run, which a last step below 100% leaves, while
	// the workload is driven by partition: else it would take the place of the pods that
	// traffic is still led to (D33, found here).
	CorrectNextRelease Correction = "D33"
	// CorrectCanaryName creates the canary Deployment under a name of its own, and without
	// a finalizer, since its owner has one. Without it a request that is repeated creates
	// another one, of which only the newest is ever given back (D34, found here).
	CorrectCanaryName Correction = "D34"
	// CorrectLastStep ends a release of a Deployment by partition when all pods are updated,
	// and with D13 a rollback when all are back. Without it the rest of the pods that a last
	// step below 100% has left is not waited for (D35, found here).
	CorrectLastStep Correction = "D35"
	// CorrectLimits computes limits beyond the range of int32 exactly, up to its largest
	// value, where upstream wraps around. Package deploy has it too; here [PartitionBudget]
	// and [Preview] look at it.
	CorrectLimits Correction = "ExactLimits"
)

// Corrections is a set of corrections. The empty set decides as upstream.
type Corrections []Correction

// Has reports whether the set contains a correction.
func (cs Corrections) Has(c Correction) bool {
	for _, have := range cs {
		if have == c {
			return true
		}
	}
	return false
}

// AllCorrections returns every correction, in the order of the package comment.
func AllCorrections() Corrections {
	return Corrections{
		CorrectOldOrder, CorrectMixedPartitions, CorrectFrozen, CorrectShares, CorrectEmptyRelease, CorrectLeak, CorrectRolloutID,
		CorrectDefaults, CorrectNoCanaryService, CorrectStrategyType, CorrectThreshold, CorrectGone, CorrectAbandon,
		CorrectRoutes, CorrectLastPause, CorrectNativeVictims, CorrectMessages, CorrectGrace, CorrectDeadline, CorrectCanaryBatch,
		CorrectOrdinals, CorrectSuffix, CorrectFullFirstStep, CorrectOtherTemplate, CorrectPromoted, CorrectNextRelease, CorrectCanaryName,
		CorrectLastStep, CorrectLimits,
	}
}
