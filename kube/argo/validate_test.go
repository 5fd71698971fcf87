// SPDX-License-Identifier: Apache-2.0

package argo_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kplan-go/kplan"
	kubeargo "github.com/kplan-go/kplan/kube/argo"
)

// plain is a Rollout that the controller follows; STRATEGY stands for the rest of the canary.
const plain = `{"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": {"app": "web"}},
	"template": {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}, "strategy": {"canary": {STRATEGY}}}}`

const services = `"stableService": "s", "canaryService": "c", `

// TestValidate: what validation_test.go of Argo Rollouts 1.10.2 calls wrong is wrong, each for
// one reason, and what is next to it is right.
func TestValidate(t *testing.T) {
	const canary = "spec.strategy.canary"
	for name, tt := range map[string]struct {
		canary string
		want   string
	}{
		"nothing":                  {``, ``},
		"same Services":            {`"stableService": "s", "canaryService": "s"`, canary + `.stableService: "s": must not be the canaryService`},
		"delay without routing":    {`"scaleDownDelaySeconds": 30`, canary + `.scaleDownDelaySeconds: 30: must not be set without trafficRouting`},
		"delay":                    {services + `"scaleDownDelaySeconds": 30, "trafficRouting": {"nginx": {}}`, ``},
		"dynamic with a delay":     {services + `"scaleDownDelaySeconds": 30, "dynamicStableScale": true, "trafficRouting": {"nginx": {}}`, canary + `.dynamicStableScale: true: must not be set with scaleDownDelaySeconds`},
		"nginx without a canary":   {`"stableService": "s", "trafficRouting": {"nginx": {}}`, canary + `.canaryService: "": must be set for this trafficRouting`},
		"istio by subsets":         {`"trafficRouting": {"istio": {"destinationRule": {"name": "d"}}}`, ``},
		"istio by Services":        {`"canaryService": "c", "trafficRouting": {"istio": {}}`, canary + `.stableService: "": must be set for this trafficRouting`},
		"a plugin":                 {`"trafficRouting": {"plugins": {"p": {}}, "maxTrafficWeight": 1000}`, ``},
		"weight of istio":          {services + `"trafficRouting": {"istio": {}, "maxTrafficWeight": 1000}`, canary + `.trafficRouting.maxTrafficWeight: 1000: must not be set but for nginx and plugins`},
		"ping-pong":                {`"pingPong": {"pingService": "a", "pongService": "b"}, "trafficRouting": {"alb": {"rootService": "r"}}`, ``},
		"ping-pong without a root": {`"pingPong": {"pingService": "a", "pongService": "b"}, "trafficRouting": {"alb": {}}`, canary + `.trafficRouting.alb.rootService: "": must be set for pingPong`},
		"ping-pong by nginx":       {services + `"pingPong": {"pingService": "a", "pongService": "b"}, "trafficRouting": {"nginx": {}}`, canary + `.pingPong: "a": must not be set but for alb, istio and plugins`},
		"scale without routing":    {`"steps": [{"setCanaryScale": {"replicas": 1}}]`, canary + `.steps[0].setCanaryScale: "": must not be set without trafficRouting`},
		"headers without routing":  {`"steps": [{"pause": {}}, {"setHeaderRoute": {"name": "h"}}]`, canary + `.steps[1].setHeaderRoute: "h": must not be set without trafficRouting by alb, apisix, istio or plugins`},
		"headers not managed":      {services + `"trafficRouting": {"alb": {}, "managedRoutes": [{"name": "m"}]}, "steps": [{"setHeaderRoute": {"name": "h"}}]`, canary + `.steps[0].setHeaderRoute.name: "h": must be one of spec.strategy.canary.trafficRouting.managedRoutes`},
		"headers":                  {services + `"trafficRouting": {"alb": {}, "managedRoutes": [{"name": "h"}]}, "steps": [{"setHeaderRoute": {"name": "h"}}]`, ``},
		"mirror by alb":            {services + `"trafficRouting": {"alb": {}, "managedRoutes": [{"name": "m"}]}, "steps": [{"setMirrorRoute": {"name": "m"}}]`, canary + `.steps[0].setMirrorRoute: "m": must not be set without trafficRouting by istio or plugins`},
		"mirror":                   {services + `"trafficRouting": {"istio": {}, "managedRoutes": [{"name": "m"}]}, "steps": [{"setMirrorRoute": {"name": "m"}}]`, ``},
		"experiment with a weight": {`"steps": [{"experiment": {"templates": [{"name": "a"}, {"name": "b", "weight": 5}]}}]`, canary + `.steps[0].experiment.templates[1].weight: 5: must not be set without trafficRouting by alb, smi, istio or plugins`},
		"experiment":               {`"steps": [{"experiment": {"templates": [{"name": "a"}]}}]`, ``},
		"bad step":                 {`"steps": [{}]`, canary + `.steps[0]: 0: must hold one of setWeight, pause, setCanaryScale, setHeaderRoute, setMirrorRoute, analysis, experiment and plugin`},
	} {
		t.Run(name, func(t *testing.T) {
			requireInvalid(t, tt.want, strings.Replace(plain, "STRATEGY", tt.canary, 1))
		})
	}
	for change, want := range map[string]string{
		`"spec": {"selector"/"spec": {"minReadySeconds": 600, "selector"`:       `spec.progressDeadlineSeconds: 600: must be greater than minReadySeconds`,
		`"matchLabels": {"app": "web"}/"matchLabels": {}`:                       `spec.selector: "": must be set and not empty`,
		`"matchLabels": {"app": "web"}/"matchLabels": {"app": "other"}`:         `spec.template.metadata.labels: "app=web": must match the selector app=other`,
		`"spec": {"containers"/"spec": {"restartPolicy": "Never", "containers"`: `spec.template.spec.restartPolicy: "Never": must be Always`,
		`, "image": "i"/`:               `spec.template.spec.containers["c"].image: "": must be set`,
		`"name": "web"/"name": "Web_1"`: `metadata.name: "Web_1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
		`"selector": {"matchLabels": {"app": "web"}}/"workloadRef": {"kind": "D"}`:                    ``,
		`"canary": {STRATEGY}/"blueGreen": {"activeService": "a"}`:                                    ``,
		`"canary": {STRATEGY}/"blueGreen": {"activeService": "a", "scaleDownDelayRevisionLimit": 10}`: ``,
		`"canary": {STRATEGY}/"blueGreen": {"activeService": "a", "scaleDownDelayRevisionLimit": 11}`: `spec.strategy.blueGreen.scaleDownDelayRevisionLimit: 11: must not be greater than revisionHistoryLimit`,
	} {
		from, to, _ := strings.Cut(change, "/")
		require.Contains(t, plain, from)
		requireInvalid(t, want, strings.Replace(strings.Replace(plain, from, to, 1), "STRATEGY", "", 1))
	}
	require.Error(t, kubeargo.Validate(nil))
}

func requireInvalid(t *testing.T, want, text string) {
	t.Helper()
	err := kubeargo.Validate(read(t, text))
	if want == "" {
		require.NoError(t, err, text)
		return
	}
	require.ErrorIs(t, err, kplan.ErrInvalid, text)
	require.EqualError(t, err, want, text)
}
