// SPDX-License-Identifier: Apache-2.0

package daemonset

import "github.com/kplan-go/kplan/internal/union"

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

// UnmarshalJSON decodes what [Actions.MarshalJSON] wrote. An unknown action is an
// error.
func (as *Actions) UnmarshalJSON(data []byte) (err error) {
	*as, err = union.Unmarshal(data, members())
	return err
}

func members() []union.Member[Action] {
	return []union.Member[Action]{
		union.Of[Action, CreateRevision]("createRevision"),
		union.Of[Action, UpdateRevision]("updateRevision"),
		union.Of[Action, DeleteRevision]("deleteRevision"),
		union.Of[Action, AdoptRevision]("adoptRevision"),
		union.Of[Action, ReleaseRevision]("releaseRevision"),
		union.Of[Action, AdoptPod]("adoptPod"),
		union.Of[Action, ReleasePod]("releasePod"),
		union.Of[Action, RelabelPod]("relabelPod"),
		union.Of[Action, CreatePod]("createPod"),
		union.Of[Action, DeletePod]("deletePod"),
		union.Of[Action, PreparePod]("preparePod"),
		union.Of[Action, UpdatePod]("updatePod"),
		union.Of[Action, RefreshPod]("refreshPod"),
	}
}
