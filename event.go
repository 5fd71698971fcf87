// SPDX-License-Identifier: Apache-2.0

package kplan

// An Event is a record for people: what a controller would record on the object that a
// plan is for. It is the same type in all packages of this module.
type Event struct {
	// Action is the index in the plan of the action that the event is about. The event is
	// recorded if that was carried out. It is -1 if the event is about no action.
	Action  int    `json:"action"`
	Type    string `json:"type"` // Normal or Warning
	Reason  string `json:"reason"`
	Message string `json:"message"`
}
