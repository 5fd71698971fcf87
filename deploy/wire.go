// SPDX-License-Identifier: Apache-2.0

package deploy

import "github.com/kplan-go/kplan/internal/union"

// Actions is a list of actions. In JSON each is an object with one key, the name
// of the action in lower camel case.
type Actions []Action

// MarshalJSON encodes the list.
func (as Actions) MarshalJSON() ([]byte, error) { return union.Marshal(as, members()) }

// UnmarshalJSON decodes what [Actions.MarshalJSON] wrote. An unknown action is an
// error.
func (as *Actions) UnmarshalJSON(data []byte) (err error) {
	*as, err = union.Unmarshal(data, members())
	return err
}

func members() []union.Member[Action] {
	return []union.Member[Action]{
		union.Of[Action, AdoptReplicaSet]("adoptReplicaSet"),
		union.Of[Action, ReleaseReplicaSet]("releaseReplicaSet"),
		union.Of[Action, CreateReplicaSet]("createReplicaSet"),
		union.Of[Action, AnnotateReplicaSet]("annotateReplicaSet"),
		union.Of[Action, ScaleReplicaSet]("scaleReplicaSet"),
		union.Of[Action, AnnotateDeployment]("annotateDeployment"),
		union.Of[Action, DeleteReplicaSet]("deleteReplicaSet"),
		union.Of[Action, RollBackDeployment]("rollBackDeployment"),
		union.Of[Action, ClearRollback]("clearRollback"),
		union.Of[Action, PauseDeployment]("pauseDeployment"),
	}
}
