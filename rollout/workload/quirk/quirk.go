// SPDX-License-Identifier: Apache-2.0

// Package quirk names the quirks of Rollouts and BatchReleases of OpenKruise: defects of upstream.
// Plans have them by default; Repair of kruise.Options and of batchrelease.Options takes the set
// to repair.
package quirk

import "github.com/kplan-go/kplan/internal/base/quirkset"

// A Set is a set of quirks. The zero Set is empty. In JSON it is a list of names.
type Set uint64

// The quirks.
const (
	MiddleTemplatesOutOfOrder   Set = 1 << iota // the stable template may lose pods first, for some numbers of old templates
	MixedPartitionsNeverEnd                     // a number after a percentage is compared as if both were numbers
	RollbackLeavesPaused                        // a rollback without a BatchRelease that has taken over leaves the Deployment paused
	CloneSetKeepsExtraPods                      // a CloneSet keeps more old pods than the step allows
	ReleaseOfWhatIsThere                        // a template that all pods have is released
	NewPodAtPartitionZero                       // a pod of the new template is created at partition 0
	RolloutIDReadDifferently                    // admission reads the rollout id elsewhere than the pass
	UnsetLimitDefaultsBoth                      // an unset surge sets maxUnavailable to 25%, and stays unset
	CanaryServiceAssumed                        // a blue-green release waits for a canary Service that is never created
	RecreateNotRestored                         // a Deployment that had Recreate ends with RollingUpdate
	FailureThresholdMisread                     // an unset failure threshold is 0, and percentages are of updated pods
	TrafficLeftBehind                           // a workload that disappears leaves its traffic as it was
	DeletionFinishesRelease                     // deleting or disabling a Rollout releases the rest at once
	HTTPRouteRulesLost                          // rules and headers of an HTTPRoute are lost
	LastPauseSkipped                            // the pause of a last step of 100% is skipped, that of 6 of 6 pods is not
	DeletingPodsListed                          // pods that are being deleted are listed to be deleted
	StepMessagesLost                            // the condition keeps the message of before the step
	ZeroGraceIgnored                            // a grace of 0 is 3 seconds where traffic is led
	DeadlineNotReported                         // a batch that is never ready is never reported, and a step ignores its analysis
	CanaryLabelsNotAwaited                      // the labels of a canary are not waited for, and it never shrinks
	OrdinalsLabelledByList                      // pods of a StatefulSet are labelled in the order of a list
	HashSuffixMatches                           // a hash that ends another one counts as that one
	StableServicePinnedForEver                  // the stable Service is pinned before a step that leaves no stable pod
	OtherTemplateReleased                       // a batch releases a template that came after the batch was requested
	TakenBackTemplateUnlabelled                 // after a later template is taken back, pods are not labelled any more
	NextReleaseUnmarked                         // an update during the closing of a release is not rolled out in steps
	CanaryCreatedTwice                          // a request that is repeated creates another canary Deployment
	LastStepNotAwaited                          // a release ends before the pods after a last step below 100% are updated
	EndingReleaseCounts                         // a BatchRelease that is being deleted counts for the next release
	LimitsWrapAround                            // limits beyond the range of int32 wrap around
)

// All is all quirks.
const All = LimitsWrapAround<<1 - 1

// Has reports whether q contains all of x.
func (q Set) Has(x Set) bool { return q&x == x }

// String returns the names, separated by commas.
func (q Set) String() string { return quirkset.Format(Table(), q) }

// MarshalJSON returns the list of the names.
func (q Set) MarshalJSON() ([]byte, error) { return quirkset.Marshal(Table(), q) }

// UnmarshalJSON reads a list of names.
func (q *Set) UnmarshalJSON(data []byte) error { return quirkset.Unmarshal(Table(), data, q) }

// Parse returns the set of the quirks with these names. The error, for names that are
// unknown, is a [kplan.FieldError] with the path Repair.
func Parse(names ...string) (Set, error) { return quirkset.Parse[Set](Table(), names...) }
