package roller

// A Bug is a possible mistake in a planner.
type Bug int

// The bugs.
const (
	None                   Bug = iota
	SurgeRoundedDown           // maxSurge of 25 % of 10 is 2
	UnavailableRoundedUp       // maxUnavailable of 25 % of 10 is 3
	BothLimitsZero             // with 0 and 0 nothing moves
	OneTooMany                 // <= instead of <
	OneTooFew                  // >= instead of >
	Wraps                      // replicas and surge are added as 32 bits
	NilReplicas                // spec.replicas may be nil and is dereferenced
	ReportedAreAvailable       // status.replicas instead of status.availableReplicas
	NewCountAsAvailable        // unready new pods count as available
	HealthyFirst               // unavailable old pods are deleted last
	AllUnhealthy               // all unavailable old pods are deleted at once
	CreatesAll                 // the new ReplicaSet begins with all pods
	NewStaysLarge              // the new ReplicaSet is never scaled down
	LastPodStays               // each old ReplicaSet keeps a pod
	PauseIgnored               // spec.paused is not read
	RecreateRolls              // spec.strategy is not read
	RecreateLooksAtSizes       // remaining pods are not counted
	RecreateWaitsForNobody     // new pods start before old ones end
	CountsRevisions            // the number of ReplicaSets instead of the highest revision
	NoRevision                 // a new ReplicaSet has no revision
	WritesAgain                // an annotation is written in every pass
	SharesMaps                 // a map of the cache is written to
	UnsortedSets               // the order of the cache decides
	TakesOthers                // owners are not compared
	NoUID                      // no UID in preconditions
	TimeOfDay                  // the time of day decides
	DeletesUsed                // a ReplicaSet with pods is deleted
	KeepsNoHistory             // the limit is not read
	bugs
)

var names = [bugs]string{"none", "surge rounded down", "unavailable rounded up", "both limits zero", "one pod too many", "one pod too few", "32 bits wrap around",
	"replicas left out", "reported pods are available", "new pods count as available", "available pods go first", "all unavailable pods go at once",
	"all new pods at once", "the new ReplicaSet stays large", "the last old pod stays", "the pause is not read", "the strategy is not read",
	"Recreate looks at sizes only", "Recreate waits for nobody", "revisions are counted", "a ReplicaSet without revision", "an annotation is written again",
	"a map of the cache is written to", "the order of the cache decides", "owners are not looked at", "no UID as a precondition", "the hour decides",
	"a ReplicaSet with pods is deleted", "the history limit is not read"}

// String describes the bug.
func (b Bug) String() string { return names[b] }

// Bugs returns all of them.
func Bugs() (all []Bug) {
	for b := None + 1; b < bugs; b++ {
		all = append(all, b)
	}
	return all
}
