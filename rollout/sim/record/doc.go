// SPDX-License-Identifier: Apache-2.0

// Package record keeps the history of a simulated cluster, for tables and pictures.
//
//	sim.Config --NewSteps--> Steps    writes of the controllers of workloads, and the resulting sizes
//	           --NewHistory-> History  objects and stages of pods, as a monitoring system sees them
//
// Both listen to the world that is made of the configuration, in addition to existing listeners.
package record
