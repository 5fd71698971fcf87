// SPDX-License-Identifier: Apache-2.0

package kruise

import "github.com/kplan-go/kplan/internal/base/union"

// MarshalJSON encodes the list.
func (as Actions) MarshalJSON() ([]byte, error) { return union.Marshal(as, members()) }

// UnmarshalJSON decodes the output of [Actions.MarshalJSON]. An unknown action is an error.
func (as *Actions) UnmarshalJSON(data []byte) (err error) {
	*as, err = union.Unmarshal[Action](data, members())
	return err
}

func members() []union.Member {
	return []union.Member{
		union.Of[SetFinalizer]("setFinalizer"),
		union.Of[PatchRollout]("patchRollout"),
		union.Of[PatchWorkload]("patchWorkload"),
		union.Of[CreateBatchRelease]("createBatchRelease"),
		union.Of[UpdateBatchRelease]("updateBatchRelease"),
		union.Of[PatchBatchRelease]("patchBatchRelease"),
		union.Of[DeleteBatchRelease]("deleteBatchRelease"),
		union.Of[SelectPods]("selectPods"),
		union.Of[CreateService]("createService"),
		union.Of[DeleteService]("deleteService"),
		union.Of[SetRoute]("setRoute"),
		union.Of[SetIngress]("setIngress"),
		union.Of[DeleteIngress]("deleteIngress"),
	}
}
