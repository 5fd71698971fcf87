// SPDX-License-Identifier: Apache-2.0

package kplan

// An Event is an event that the controller records on the object of the plan. It is the
// same type in all packages of this module.
type Event struct {
	// Action is the index of the action in the plan that the event is about, or -1. With
	// an action, record the event only if the action was carried out.
	Action  int    `json:"action"`
	Type    string `json:"type"` // Normal or Warning
	Reason  string `json:"reason"`
	Message string `json:"message"`
}
