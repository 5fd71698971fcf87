// SPDX-License-Identifier: Apache-2.0

package deploy

import "github.com/kplan-go/kplan/internal/base/union"

// Actions is a list of actions. In JSON each is an object with one key, the name
// of the action in lower camel case.
type Actions []Action

// MarshalJSON encodes the list.
func (as Actions) MarshalJSON() ([]byte, error) { return union.Marshal(as, members()) }

// UnmarshalJSON decodes the output of [Actions.MarshalJSON]. An unknown action is an error.
func (as *Actions) UnmarshalJSON(data []byte) (err error) {
	*as, err = union.Unmarshal[Action](data, members())
	return err
}

func members() []union.Member {
	return []union.Member{
		union.Of[AdoptReplicaSet]("adoptReplicaSet"),
		union.Of[ReleaseReplicaSet]("releaseReplicaSet"),
		union.Of[CreateReplicaSet]("createReplicaSet"),
		union.Of[AnnotateReplicaSet]("annotateReplicaSet"),
		union.Of[ScaleReplicaSet]("scaleReplicaSet"),
		union.Of[AnnotateDeployment]("annotateDeployment"),
		union.Of[DeleteReplicaSet]("deleteReplicaSet"),
		union.Of[RollBackDeployment]("rollBackDeployment"),
		union.Of[ClearRollback]("clearRollback"),
		union.Of[PauseDeployment]("pauseDeployment"),
	}
}
