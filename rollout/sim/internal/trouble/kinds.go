// SPDX-License-Identifier: Apache-2.0

package trouble

// A Fault is a kind of trouble. There are twenty that a test can make, and two more.
type Fault int

// The faults.
const (
	Crash       Fault = iota + 1 // controllers stop after any action
	Stale                        // controllers see the past
	Skip                         // controllers miss states in between
	Request                      // requests fail in all ways
	PodMonkey                    // pods are created, relabelled, deleted, evicted and fail
	Visibility                   // the caches of controllers follow one of six models
	Overlap                      // two controllers of one kind at once
	Disorder                     // any order of work, lost and repeated events
	Readiness                    // pods flap, start slowly or never, and crash
	Clocks                       // clocks differ and step back
	Termination                  // pods do not end, or not soon; nodes are lost
	Scheduling                   // pods find no node
	Spec                         // the wanted state changes at any time
	Nodes                        // nodes come, go, and are changed
	Tampering                    // annotations are edited
	Ownership                    // owners and labels are edited
	Collision                    // different templates have one hash
	Options                      // options are switched while it runs
	Extremes                     // sizes are 0, 1 and the largest number
	Fair                         // in the end nothing disturbs any more
	Conflict                     // others write after the reading and before the writing of a controller
	LostEvents                   // controllers get no events of changes
	faults      = iota + 1
)

// Rates are how often faults strike, from 0 (never) on; 1 is usual. [Fair] cannot be switched
// off.
type Rates [faults]float64

// A Trouble is one way in which a fault shows.
type Trouble int

// The troubles.
const (
	Crashed Trouble = iota
	SawPast
	TravelledBack
	SkippedStates
	RequestLost
	RequestRepeated
	EffectWithoutAnswer
	AnsweredConflict
	AnsweredExists
	AnsweredNotFound
	AnsweredForbidden
	PodCreated
	PodRelabelled
	PodDeleted
	PodEvicted
	PodFailed
	SeesEverything
	SeesMonotonic
	SeesResettable
	SeesOwnWrites
	SeesCausal
	SeesAnything
	TwoLeaders
	WorkedOutOfOrder
	EventLost
	EventRepeated
	PodFlapped
	PodSlow
	PodNeverReady
	PodCrashLoop
	PlannedAtBoundary
	ClockAhead
	ClockBehind
	ClockSteppedBack
	TerminationStuck
	TerminationLong
	NodeLost
	PodUnschedulable
	PodGated
	TemplateChanged
	ReplicasChanged
	StrategyChanged
	PauseChanged
	SelectorChanged
	PartitionChanged
	RolledBack
	Autoscaled
	NodeAdded
	NodeRemoved
	NodeCordoned
	NodeTainted
	NodeNotReady
	ZoneLost
	NodeDrained
	RevisionEdited
	SizesEdited
	CostEdited
	PauseEdited
	Orphaned
	OwnedByOther
	LabelEdited
	RecreatedWithName
	HashCollided
	OptionsSwitched
	SizeZero
	SizeOne
	SizeLargest
	FairPhase
	WrittenBetween
	ChangeUntold
	troubles = iota
)

// troubleTable has the fault and the name of each trouble.
var troubleTable = [troubles]struct {
	fault Fault
	name  string
}{
	Crashed: {Crash, "crash"}, SawPast: {Stale, "past"}, TravelledBack: {Stale, "time travel"}, SkippedStates: {Skip, "states skipped"},
	RequestLost: {Request, "lost"}, RequestRepeated: {Request, "repeated"}, EffectWithoutAnswer: {Request, "effect without answer"},
	AnsweredConflict: {Request, "conflict"}, AnsweredExists: {Request, "already exists"}, AnsweredNotFound: {Request, "not found"},
	AnsweredForbidden: {Request, "quota"},
	PodCreated:        {PodMonkey, "created"}, PodRelabelled: {PodMonkey, "relabelled"}, PodDeleted: {PodMonkey, "deleted"},
	PodEvicted: {PodMonkey, "evicted"}, PodFailed: {PodMonkey, "failed"},
	SeesEverything: {Visibility, "synchronous"}, SeesMonotonic: {Visibility, "monotonic"}, SeesResettable: {Visibility, "resettable"},
	SeesOwnWrites: {Visibility, "own writes"}, SeesCausal: {Visibility, "causal"}, SeesAnything: {Visibility, "any"},
	TwoLeaders: {Overlap, "two leaders"}, WorkedOutOfOrder: {Disorder, "out of order"}, EventLost: {Disorder, "event lost"},
	EventRepeated: {Disorder, "event repeated"},
	PodFlapped:    {Readiness, "flap"}, PodSlow: {Readiness, "slow"}, PodNeverReady: {Readiness, "never ready"},
	PodCrashLoop: {Readiness, "crash loop"}, PlannedAtBoundary: {Readiness, "minReady boundary"},
	ClockAhead: {Clocks, "ahead"}, ClockBehind: {Clocks, "behind"}, ClockSteppedBack: {Clocks, "step back"},
	TerminationStuck: {Termination, "stuck"}, TerminationLong: {Termination, "long"}, NodeLost: {Termination, "node lost"},
	PodUnschedulable: {Scheduling, "unschedulable"}, PodGated: {Scheduling, "gated"},
	TemplateChanged: {Spec, "template"}, ReplicasChanged: {Spec, "replicas"}, StrategyChanged: {Spec, "strategy"}, PauseChanged: {Spec, "pause"},
	SelectorChanged: {Spec, "selector"}, PartitionChanged: {Spec, "partition"}, RolledBack: {Spec, "rollback"}, Autoscaled: {Spec, "autoscaled"},
	NodeAdded: {Nodes, "added"}, NodeRemoved: {Nodes, "removed"}, NodeCordoned: {Nodes, "cordoned"}, NodeTainted: {Nodes, "tainted"},
	NodeNotReady: {Nodes, "not ready"}, ZoneLost: {Nodes, "zone lost"}, NodeDrained: {Nodes, "drained"},
	RevisionEdited: {Tampering, "revision"}, SizesEdited: {Tampering, "sizes"}, CostEdited: {Tampering, "cost"}, PauseEdited: {Tampering, "pause"},
	Orphaned: {Ownership, "orphaned"}, OwnedByOther: {Ownership, "other owner"}, LabelEdited: {Ownership, "label"},
	RecreatedWithName: {Ownership, "same name"}, HashCollided: {Collision, "hash"}, OptionsSwitched: {Options, "options"},
	SizeZero: {Extremes, "0"}, SizeOne: {Extremes, "1"}, SizeLargest: {Extremes, "largest"}, FairPhase: {Fair, "fair phase"},
	WrittenBetween: {Conflict, "written in between"}, ChangeUntold: {LostEvents, "not told"},
}

// Fault returns the fault that the trouble belongs to.
func (t Trouble) Fault() Fault { return troubleTable[t].fault }

// String returns the name of the trouble.
func (t Trouble) String() string { return troubleTable[t].name }

// Counts are how often each trouble has occurred.
type Counts [troubles]int

// Add adds other counts.
func (c *Counts) Add(other *Counts) {
	for i, n := range other {
		c[i] += n
	}
}
