// SPDX-License-Identifier: Apache-2.0

package traffic

import "github.com/kplan-go/kplan/rollout"

// Objects are the objects that route traffic to the pods.
type Objects struct {
	Stable *Service `json:"stable,omitempty"` // nil if missing
	Canary *Service `json:"canary,omitempty"` // nil if missing
	Route  *Route   `json:"route,omitempty"`  // nil if missing or not used
	// Ingress and CanaryIngress are nil if missing or not used.
	Ingress       *Ingress `json:"ingress,omitempty"`
	CanaryIngress *Ingress `json:"canaryIngress,omitempty"`
}

// A Service selects pods.
type Service struct {
	Name     string            `json:"name"`
	Selector map[string]string `json:"selector,omitempty"`
}

// A Route is an HTTPRoute.
type Route struct {
	Name  string `json:"name"`
	Rules []Rule `json:"rules,omitempty"`
}

// An Ingress routes requests to Services.
type Ingress struct {
	Name        string            `json:"name"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

// A Routing names the objects that route traffic to the pods.
type Routing struct {
	Service            string       `json:"service"`
	GracePeriodSeconds int32        `json:"gracePeriodSeconds,omitempty"`
	Ingress            *IngressRef  `json:"ingress,omitempty"`
	Gateway            *GatewayRef  `json:"gateway,omitempty"`
	CustomNetworkRefs  []NetworkRef `json:"customNetworkRefs,omitempty"`
}

// An IngressRef names an Ingress.
type IngressRef struct {
	ClassType string `json:"classType,omitempty"` // the name of an [IngressClass]; "" means nginx
	Name      string `json:"name"`
}

// A GatewayRef names an HTTPRoute.
type GatewayRef struct {
	HTTPRouteName *string `json:"httpRouteName,omitempty"`
}

// A NetworkRef names an object that a script of the user changes.
type NetworkRef struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Name       string `json:"name"`
}

// A Strategy determines how a step routes traffic.
type Strategy struct {
	Traffic               rollout.IntOrPercent `json:"traffic,omitzero"` // a percentage; unset means none
	RequestHeaderModifier *HeaderModifier      `json:"requestHeaderModifier,omitempty"`
	Matches               []Match              `json:"matches,omitempty"`
}
