// SPDX-License-Identifier: Apache-2.0

// Package scenario replays the checks that Kubernetes 1.36.3 makes of its own Deployment,
// ReplicaSet and DaemonSet controllers: 22 of its conformance suite, 9 other end-to-end tests,
// and 43 integration tests.
//
// Each check is a file in testdata, named after the check with the prefix "conformance", "e2e"
// or "integration". It holds blocks of steps with the expected output (package trace). The
// steps prepare objects as the check does, and let the planners run; the assertions of the
// check are in the output, or above it in a comment. A few checks are about the API server
// alone; their files say so instead of steps.
//
// # Steps
//
//	cluster                         start again, with nothing in the namespace
//	kubelet ready=5s end=1s         pods are ready, or gone, after this time
//	kubelet never=(v2)              pods of these templates start, and are never ready
//	kubelet end=never               pods that are deleted stay until "gone"
//	kubelet off                     pods are never started
//	quota pods=3                    the namespace admits 3 pods, less than 0 is any number
//	options omitTerminating=true    no terminating pods in the status of ReplicaSets
//	options ignoreCost=true         no deletion costs when they scale down
//	restart                         the controllers restart
//
//	deployment NAME KEY=VALUE…      creates or changes an object
//	replicaset NAME KEY=VALUE…
//	daemonset  NAME KEY=VALUE…
//	revision   NAME KEY=VALUE…      a ControllerRevision
//	pod        NAME KEY=VALUE…
//	node       NAME KEY=VALUE…
//	undo KIND NAME [to=2]           as kubectl rollout undo
//	delete KIND NAME…               with its dependents; or how=orphan, how=foreground
//	gone POD…                       pods that were deleted come to their end
//
//	run [for=10s]                   runs the cluster, until nothing will change any more
//	show KIND [NAME…]               prints objects
//
// The keys of objects are listed in the tables in fields.go. A template is a name: it stands
// for a whole pod template, and is its hash as well, so that ReplicaSet web-v2 runs template
// v2. A value of several parts is written (a=b,c=d).
//
// # Output
//
// The step run prints the writes of the controllers, each line with the time since the start
// of the cluster, and then the most pods and the fewest available pods of each workload during
// the run. Nothing is random, and no clock is read.
package scenario
