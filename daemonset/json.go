// SPDX-License-Identifier: Apache-2.0

package daemonset

import "github.com/kplan-go/kplan/internal/base/union"

var (
	_ Action = CreateRevision{}
	_ Action = UpdateRevision{}
	_ Action = DeleteRevision{}
	_ Action = AdoptRevision{}
	_ Action = ReleaseRevision{}
	_ Action = AdoptPod{}
	_ Action = ReleasePod{}
	_ Action = RelabelPod{}
	_ Action = CreatePod{}
	_ Action = DeletePod{}
	_ Action = PreparePod{}
	_ Action = UpdatePod{}
	_ Action = RefreshPod{}
)

// Actions is a list of actions. In JSON each is an object with one key, the name of
// the action in lower camel case.
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
		union.Of[CreateRevision]("createRevision"),
		union.Of[UpdateRevision]("updateRevision"),
		union.Of[DeleteRevision]("deleteRevision"),
		union.Of[AdoptRevision]("adoptRevision"),
		union.Of[ReleaseRevision]("releaseRevision"),
		union.Of[AdoptPod]("adoptPod"),
		union.Of[ReleasePod]("releasePod"),
		union.Of[RelabelPod]("relabelPod"),
		union.Of[CreatePod]("createPod"),
		union.Of[DeletePod]("deletePod"),
		union.Of[PreparePod]("preparePod"),
		union.Of[UpdatePod]("updatePod"),
		union.Of[RefreshPod]("refreshPod"),
	}
}
