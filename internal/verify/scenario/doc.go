// SPDX-License-Identifier: Apache-2.0

// Package scenario replays the checks that Kubernetes 1.36.3 makes of its own
// Deployment, ReplicaSet and DaemonSet controllers: 22 of its conformance suite, 9
// other end-to-end tests, and 43 integration tests.
//
// Each is a file in testdata, which carries the name of the check behind "conformance",
// "e2e" or "integration", and holds blocks of steps with the output that is expected
// (package trace). The steps prepare objects as the check does, and let the planners
// run; what the check asserts stands in the output, or above it in a comment. A few
// checks are about the API server alone; their files say so in place of steps.
//
// # Steps
//
//	cluster                         start anew, with nothing in the namespace
//	kubelet ready=5s end=1s         pods are ready, or gone, after this time
//	kubelet never=(v2)              pods of these templates start, and are never ready
//	kubelet end=never               pods that are deleted stay until "gone"
//	kubelet off                     pods are not started by anybody
//	quota pods=3                    the namespace admits 3 pods, less than 0 is any number
//	options omitTerminating=true    no terminating pods in the status of ReplicaSets
//	options ignoreCost=true         no deletion costs when they scale down
//	restart                         the controllers start anew
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
//	run [for=10s]                   lets all act, until nothing will change any more
//	show KIND [NAME…]               prints objects
//
// The keys of objects are those of the tables in fields.go. A template is a name: it
// stands for all of a pod template, and is its hash as well, so that ReplicaSet
// web-v2 runs template v2. A value of several parts is written (a=b,c=d).
//
// # Output
//
// The step run prints what the controllers write, each line behind the time since the
// cluster has begun, and then the most pods and the fewest available ones that each
// workload had meanwhile. Nothing is random, and no clock is read.
package scenario
