// SPDX-License-Identifier: Apache-2.0

package kruise

import "github.com/kplan-go/kplan/internal/union"

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
		union.Of[Action, SetFinalizer]("setFinalizer"),
		union.Of[Action, PatchRollout]("patchRollout"),
		union.Of[Action, PatchWorkload]("patchWorkload"),
		union.Of[Action, CreateBatchRelease]("createBatchRelease"),
		union.Of[Action, UpdateBatchRelease]("updateBatchRelease"),
		union.Of[Action, PatchBatchRelease]("patchBatchRelease"),
		union.Of[Action, DeleteBatchRelease]("deleteBatchRelease"),
		union.Of[Action, SelectPods]("selectPods"),
		union.Of[Action, CreateService]("createService"),
		union.Of[Action, DeleteService]("deleteService"),
		union.Of[Action, SetRoute]("setRoute"),
		union.Of[Action, SetIngress]("setIngress"),
		union.Of[Action, DeleteIngress]("deleteIngress"),
	}
}
