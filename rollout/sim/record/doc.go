// SPDX-License-Identifier: Apache-2.0

// Package record keeps what happens in a simulated cluster, for tables and pictures.
//
//	sim.Config --NewSteps--> Steps    what controllers of workloads did, and the sizes that it led to
//	           --NewHistory-> History  what a monitoring system would have seen: objects, and stages of pods
//
// Both listen to the world that is made of the configuration, beside functions that it has already.
package record
