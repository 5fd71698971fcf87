// SPDX-License-Identifier: Apache-2.0

package kube

import (
	"cmp"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/kplan-go/kplan/rollout/sim/cluster"
)

// Defaults of the API server, in seconds.
const (
	defaultPeriod = 10
	defaultGrace  = 30
)

// lifeOf sets how long pods of a template take at least to become ready, and to end, by their
// probes, hooks, and grace period. The slowest container counts. A sidecar, an init container
// that restarts always, lets the next containers start once its startup probe has succeeded.
func lifeOf(spec *corev1.PodSpec, t *cluster.Template) {
	started := time.Duration(0)
	for i := range spec.InitContainers {
		if c := &spec.InitContainers[i]; c.RestartPolicy != nil && *c.RestartPolicy == corev1.ContainerRestartPolicyAlways {
			t.ReadyAfter = max(t.ReadyAfter, started+readyAfter(c))
			started += initialDelay(c.StartupProbe)
		}
	}
	for i := range spec.Containers {
		c := &spec.Containers[i]
		t.ReadyAfter = max(t.ReadyAfter, started+readyAfter(c))
		if h := c.Lifecycle; h != nil && h.PreStop != nil && h.PreStop.Sleep != nil {
			t.EndAfter = max(t.EndAfter, seconds(h.PreStop.Sleep.Seconds))
		}
	}
	grace := int64(defaultGrace)
	if s := spec.TerminationGracePeriodSeconds; s != nil {
		grace = max(*s, 1)
	}
	t.EndWithin = seconds(grace)
}

// readyAfter returns the shortest time from the start of a container until it is ready:
//
//	max(startup.initialDelaySeconds, readiness.initialDelaySeconds) + (readiness.successThreshold - 1) * readiness.periodSeconds
//
// Both delays count from the start of the container, in full seconds. The readiness probe
// runs once the startup probe has succeeded, which takes one success. Nothing ties the period to
// the start: the first probe may come as soon as the delay is over, and each further probe comes a
// period later.
func readyAfter(c *corev1.Container) time.Duration {
	p := c.ReadinessProbe
	if p == nil {
		return initialDelay(c.StartupProbe)
	}
	further := int64(max(0, p.SuccessThreshold-1)) * int64(max(1, cmp.Or(p.PeriodSeconds, defaultPeriod)))
	return max(initialDelay(c.StartupProbe), initialDelay(p)) + seconds(further)
}

// initialDelay returns the initial delay of a probe, 0 without one.
func initialDelay(p *corev1.Probe) time.Duration {
	if p == nil {
		return 0
	}
	return seconds(int64(p.InitialDelaySeconds))
}

// seconds returns n seconds, at most some decades.
func seconds(n int64) time.Duration { return time.Duration(min(max(n, 0), 1<<31)) * time.Second }
