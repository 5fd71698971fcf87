package deploy

import (
	"math"
	"strconv"
	"time"

	"github.com/kplan-go/kplan/internal/field"
	"github.com/kplan-go/kplan/replicaset"
)

// A CreateResult is how the API server has answered [CreateReplicaSet].
type CreateResult string

// The answers.
const (
	Created              CreateResult = "Created"
	AlreadyExists        CreateResult = "AlreadyExists"        // the name is taken
	NamespaceTerminating CreateResult = "NamespaceTerminating" // the namespace is being deleted
	CreateFailed         CreateResult = "CreateFailed"         // anything else, such as a quota
)

// A CreateOutcome is an answer with its message, which only CreateFailed needs.
type CreateOutcome struct {
	Result  CreateResult `json:"result"`
	Message string       `json:"message,omitzero"`
}

// AfterCreate returns what follows when the ReplicaSet of a plan for s could not be
// created, and whether to plan again soon (rule 5). The rest of that plan is void.
// After Created nothing follows, since the plan supposed it.
//
//   - AlreadyExists, and the ReplicaSet of that name in s is the Deployment's with
//     its template: the Deployment gets the revision, and the next plan finds the
//     ReplicaSet. If it is not in s, a newer snapshot is needed. If it is another one,
//     the hashes collide: the count of collisions is raised, which changes the hash
//     and so the name.
//   - NamespaceTerminating: nothing, and no retry.
//   - CreateFailed: the condition Progressing and an event say so.
//
// It mirrors getNewReplicaSet of the deployment controller of Kubernetes 1.36.3.
func AfterCreate(s Snapshot, now time.Time, opts Options, a CreateReplicaSet, o CreateOutcome) (p Plan, retry bool, err error) {
	var st state
	if err := st.admit(&s, now, &opts); err != nil {
		return Plan{}, false, err
	}
	st.plan.Actions = nil // claims have been made
	if !st.partitioned() {
		st.notePause()
	}
	collisions := st.d.Status.CollisionCount
	switch o.Result {
	case Created, NamespaceTerminating:
	case AlreadyExists:
		retry = true
		switch rs := st.named(a.Name); {
		case rs == nil:
		case rs.ControllerUID == st.d.UID && rs.Template.Same(st.d.Template):
			st.annotateDeployment(strconv.FormatInt(a.Revision, 10))
		default:
			st.hold(a.Name, ReasonNameTaken, 0, 0)
			collisions = collided(collisions)
		}
	case CreateFailed:
		retry = true
		st.reportCreateFailure(a.Name, o.Message)
	default:
		var errs field.Errors
		errs.Add("CreateOutcome.Result", string(o.Result), "must be one of the results")
		return Plan{}, false, errs.Join()
	}
	st.keepStatus()
	if collisions != nil {
		st.plan.Status.CollisionCount = new(*collisions)
	}
	return st.plan, retry, nil
}

// collided returns the next count of collisions. It never becomes 0 again.
func collided(count *int32) *int32 {
	switch {
	case count == nil:
		return new(int32(1))
	case *count == math.MaxInt32:
		return count
	}
	return new(*count + 1)
}

// named returns the ReplicaSet of the namespace with a name, or nil.
func (st *state) named(name string) *replicaset.ReplicaSet {
	for i := range st.everyone {
		if st.everyone[i].Name == name {
			return &st.everyone[i]
		}
	}
	return nil
}

func (st *state) reportCreateFailure(name, message string) {
	text := quoting("Failed to create new replica set ", name, ": "+message)
	if st.hasDeadline() {
		st.setCondition(ConditionProgressing, replicaset.ConditionFalse, progressFailed, text)
	}
	st.event("Warning", progressFailed, text)
	st.hold(name, ReasonCreateFailed, 0, 0)
}
