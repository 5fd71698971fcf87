// SPDX-License-Identifier: Apache-2.0

package quirk

import "github.com/kplan-go/kplan"

// Table returns the quirks, in the order of the constants. Their sources are files of
// OpenKruise Rollouts at commit 9dd6279d.
func Table() []kplan.Quirk { return append(earlyQuirks(), laterQuirks()...) }

// row makes rows shorter: all sources are of one commit.
func row(name, upstream, source, issue, input, repair string) kplan.Quirk {
	return kplan.Quirk{Name: name, Upstream: upstream, Source: source + ", openkruise/rollouts 9dd6279d", Issue: issue, Input: input, Repair: repair}
}

func earlyQuirks() []kplan.Quirk {
	return []kplan.Quirk{
		row("MiddleTemplatesOutOfOrder", "The order in which middle templates lose pods depends on spare room of a slice: with 3, 5, 6, 7 and more of them the stable one may lose first.",
			"deployment.reconcileOldReplicaSets", "", "Preview of 6 replicas, v1 3, v2 1, v3 2, and a first step of 20% of v4.",
			"The middle templates lose their pods before the stable one. Only Preview looks at it here; package deploy has it too."),
		row("MixedPartitionsNeverEnd", "A number and a percentage are compared by their values, so that 20% is more than 5 pods, and the step never ends.",
			"control.IsCurrentMoreThanOrEqualToDesired", "", "10 replicas and steps of 20%, 5 and 100%.", "They are compared by the pods that they mean."),
		row("RollbackLeavesPaused", "A rollback whose BatchRelease is gone, as in the reset of a continuous release, or has not taken over yet, ends with the Deployment still paused.",
			"rollout.doFinalising", "", "6 replicas in step 1 of 20% with traffic; v3 comes, and v1 while the release of v2 is given back.", "The Deployment is resumed."),
		row("CloneSetKeepsExtraPods", "The pods that a CloneSet keeps are a percentage of at least 1%, which is more than one pod of more than 100, so that the step never ends.",
			"control.ParseIntegerAsPercentageIfPossible", "", "A CloneSet of 101 replicas and a step of 99%.", "Where no percentage keeps as many the number is written."),
		row("ReleaseOfWhatIsThere", "A template that was taken back while the release began, or that all pods have, is released, with all its pauses.",
			"rollout.doProgressingInitializing", "", "A Rollout that is initializing, whose workload is rolled back.", "The release is cancelled; none begins while the workload is seen as before its update."),
		row("NewPodAtPartitionZero", "Without surge one pod of the new template is created at partition 0, in place of an old one, before the first step.",
			"deploymentutil.NewRSReplicasLowerBound", "", "6 replicas with maxSurge 0 and partition 0.", "No pod is created at partition 0."),
		row("RolloutIDReadDifferently", "Admission reads the rollout id from the annotation, the pass from the label.",
			"mutating.isEffectiveDeploymentRevisionChange", "", "A workload of the same template whose label has another rollout id.", "Both read the annotation and, if that is empty, the label."),
		row("UnsetLimitDefaultsBoth", "A surge that is unset sets maxUnavailable to 25%, whatever it was, and stays unset.",
			"v1alpha1.SetDefaultDeploymentStrategy", "", "A strategy of maxUnavailable 2 alone.", "The surge is 25%, and the other limit stays."),
		row("CanaryServiceAssumed", "Where no canary Service is generated a blue-green release waits for the stable one to be pinned, forever; where one is missing at the end traffic is led to it all the same.",
			"trafficrouting.PatchStableService", "", "A blue-green Rollout with disableGenerateCanaryService and traffic in step 1.", "Nothing is pinned, and no traffic is led to a Service that is not there."),
		row("RecreateNotRestored", "A Deployment of strategy Recreate has RollingUpdate after its release.",
			"partitionstyle/deployment.Finalize", "", "A Deployment of strategy Recreate and a step of 100%.", "Recreate is restored."),
		row("FailureThresholdMisread", "An unset failure threshold is 0, and a percentage is one of the pods that are updated.",
			"context.IsBatchReady", "openkruise/rollouts#101", "10 replicas with maxUnavailable 1, 5 updated and 4 of them ready, in a step of 5.",
			"An unset one is what the workload may have unavailable, and percentages are of what is desired. Blue-green has none."),
		row("TrafficLeftBehind", "When the workload disappears in the middle the status is dropped, and Services and routes stay as they are.",
			"rollout.calculateRolloutStatus", "", "A Rollout in the pause of step 1 with a pinned Service and no workload.", "The traffic is restored first."),
		row("DeletionFinishesRelease", "Deleting or disabling a Rollout releases the rest at once, without further pauses.",
			"partitionstyle/deployment.Finalize", "openkruise/rollouts#272", "6 replicas, 2 of them updated in step 1, and the Rollout is deleted.",
			"The workload stays paused where it stands. What was rolled back is resumed, whatever template comes meanwhile, and so is a DaemonSet whose release succeeded. Blue-green is not touched."),
		row("HTTPRouteRulesLost", "Rules with a weight are dropped by a step of matches, headers are taken from another entry of the matches, only the first rule gets paths, and rules without backends are dropped at the end.",
			"gateway.buildCanaryHeaderHttpRoutes", "", "A route of one rule with a weight, and a step that matches a path and a header.", "Every rule is kept, and every entry has its own headers."),
	}
}

func laterQuirks() []kplan.Quirk {
	return []kplan.Quirk{
		row("LastPauseSkipped", "The pause of a last step of 100% is skipped, that of as many pods as there are is not.",
			"rollout.doCanaryPaused", "", "Steps of 50% and 100%, the last with a pause of 60 seconds.", "The pause counts, however the size is written."),
		row("DeletingPodsListed", "Pods of a native DaemonSet that are being deleted stay in the list of those to delete and do not count as deleted, so that others go in their place, and a second update saves OnDelete as what to restore.",
			"nativedaemonset.executePodDeletion", "", "2 old pods, one of which is being deleted, and 2 that may be unavailable.", "They are left out and counted, and the first strategy stays saved."),
		row("StepMessagesLost", "The messages of a step reach the status but not the condition, and a next step that does not exist stays.",
			"rollout.doCanaryUpgrade", "openkruise/rollouts#94", "A Rollout in the pause of step 1 whose condition has another message.", "The condition has the message too, and the next step is moved back."),
		row("ZeroGraceIgnored", "A grace of 0 is 3 seconds where traffic is led, and 0 where it is given back.",
			"trafficrouting.DoTrafficRouting", "", "Traffic in step 1 with gracePeriodSeconds 0.", "0 is 0."),
		row("DeadlineNotReported", "A batch that is never ready waits forever, and a step never looks at an analysis.",
			"rollout.doCanaryMetricsAnalysis", "openkruise/rollouts#174", "Step 1 since 600 seconds, with progressDeadlineSeconds 600.", "It is reported, and Snapshot.Analysis decides whether the step goes on."),
		row("CanaryLabelsNotAwaited", "A canary is ready without the labels of its pods, and never shrinks.",
			"canarystyle/deployment.CalculateBatchContext", "", "4 pods of a canary, none labelled, and a jump back to a step of 2.", "The labels are waited for, and the canary shrinks."),
		row("OrdinalsLabelledByList", "Pods of a StatefulSet that is updated in order are labelled in the order of the list.",
			"labelpatch.FilterPodsForOrderedUpdate", "", "4 pods, of which web-2 and web-3 are updated, in batches of 25% and 50%.", "The highest ordinal is labelled first, not only while rolling back."),
		row("HashSuffixMatches", "A pod whose hash ends the name of a revision counts as one of it.",
			"util.IsConsistentWithRevision", "", "Pods of the hashes ab12 and 12, and the revision web-ab12.", "The hash is all of the name, or all behind its last hyphen."),
		row("StableServicePinnedForEver", "Before a first step that updates all pods the stable Service is pinned and released in turn. So it is pinned to a revision without pods when a step that updated all is left.",
			"rollout.runCanary", "", "1 replica and steps of 50% with traffic and a grace of 1 second, and 100%.", "It is not pinned."),
		row("OtherTemplateReleased", "A batch releases the template that is there, although another one came after it was asked for, or before a Deployment was taken over.",
			"bluegreenstyle.UpgradeBatch", "", "A blue-green release of v2 up to 50%, and v3 comes.",
			"No pod of the other template is released, as far as the rollout id tells; a blue-green workload is resumed when it is taken back, and the helper of native DaemonSets is told the revision."),
		row("TakenBackTemplateUnlabelled", "When all pods have a template a change is not noticed, so that no pod is labelled any more once another template was taken back; nor is any updated if its set takes it for stable.",
			"partitionstyle.SyncWorkloadInformation", "", "All pods are v2, v3 comes and is taken back, and the pods are replaced.",
			"The template that all pods have is followed, and one that was taken back as soon as the plan of the release goes on."),
		row("NextReleaseUnmarked", "An update that comes while the release before is closed loses its mark: it is rolled out at once, or stays paused.",
			"rollout.removeRolloutProgressingAnnotation", "", "The release of v2 is given back, and v1 comes before the Rollout is closed.",
			"It is released next, and no pod is updated before; after a rollback only together with DeletionFinishesRelease. It is let in although two versions run."),
		row("CanaryCreatedTwice", "The name of the canary Deployment is generated, so that a request that is repeated creates another one, which nobody gives back.",
			"canarystyle/deployment.Create", "", "A canary is created, and again before anybody has seen it.", "It has a name of its own, and no finalizer, since its owner has one."),
		row("LastStepNotAwaited", "A release of a Deployment ends when it is given back, although the pods behind a last step below 100% are still old.",
			"partitionstyle/deployment.Finalize", "", "6 replicas and one step of 50%.", "The release ends when all pods are updated, and together with DeletionFinishesRelease a rollback when all are back."),
		row("EndingReleaseCounts", "A BatchRelease that is being deleted, because its release was taken back, counts as the one of a release that comes before it is gone, and so do the pods that it had updated when a step is jumped to: the step is done without an updated pod, and traffic waits for a revision that nobody makes.",
			"rollout.runBatchRelease, doStepJump", "", "The batch of step 1 is ready, and its BatchRelease is deleted.", "Its end is waited for, and another one is created."),
		row("LimitsWrapAround", "Limits beyond the range of int32 wrap around.",
			"deploymentutil.ResolveFenceposts", "", "200 replicas and a surge of 2147483647%.", "They are exact, up to the largest value. Only PartitionBudget and Preview look at it here; package deploy has it too."),
	}
}
