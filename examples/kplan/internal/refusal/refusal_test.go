// SPDX-License-Identifier: Apache-2.0

package refusal

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOf: who speaks, and what to change, for the answers that API servers give.
func TestOf(t *testing.T) {
	for message, want := range map[string]Refusal{
		`pods "web-1" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=2, limited: pods=2`: {
			"the ResourceQuota compute", "Free some of the pods that it counts, or raise it.",
		},
		`pods "web-1" is forbidden: exceeded quota: compute, requested: limits.cpu=2,requests.cpu=1, used: limits.cpu=9,requests.cpu=4, limited: limits.cpu=10,requests.cpu=4`: {
			"the ResourceQuota compute", "Free some of what it counts, raise it, or let the pods ask for less than limits.cpu=2,requests.cpu=1.",
		},
		`pods "web-1" is forbidden: failed quota: compute: must specify requests.cpu for: web`: {
			"the ResourceQuota compute", "Set requests.cpu for: web in the template, or have a LimitRange give a default.",
		},
		"admission webhook \"policy.example.com\" denied the request:\n pods \"web\" is forbidden: no latest": {
			"the admission webhook policy.example.com", "Change what it objects to in the template, or have its owner allow it.",
		},
		`Internal error occurred: failed calling webhook "policy.example.com": failed to call webhook: Post "https://x": dial tcp: refused`: {
			"the API server, which cannot reach the webhook policy.example.com", "Bring the service of the webhook up again; until then its failurePolicy refuses everything.",
		},
		`pods "web-1" is forbidden: ValidatingAdmissionPolicy 'images' with binding 'all' denied request: no latest`: {
			"the ValidatingAdmissionPolicy images", "Change what it objects to in the template, or the policy or its binding all.",
		},
		`pods "web-1" is forbidden: violates PodSecurity "restricted:latest": runAsNonRoot != true`: {
			"the Pod Security admission", "Change what it lists in the template, or let the namespace enforce less than the level restricted.",
		},
		`pods "web-1" is forbidden: [maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Gi, but limit is 2Gi]`: {
			"a LimitRange", "Change requests and limits in the template to fit within it, or the LimitRange.",
		},
		`pods "web-1" is forbidden: error looking up service account shop/web: serviceaccount "web" not found`: {
			"the API server", "Create the ServiceAccount web, or name another one in spec.template.spec.serviceAccountName.",
		},
		`pods "web-1" is forbidden: no PriorityClass with name high was found`: {
			"the API server", "Create the PriorityClass high, or name another one in spec.template.spec.priorityClassName.",
		},
		`pods "web-1" is forbidden: unable to create new content in namespace shop because it is being terminated`: {
			"the API server", "Nothing is created in the namespace shop any more; create it anew once it is gone.",
		},
		`Pod "web-1" is invalid: spec.containers[0].image: Required value`: {"the API server", "Change spec.containers[0].image in the template."},
		`pods "web-1" is forbidden: something else`:                        {"the API server", "Change what it objects to, or have it allowed."},
	} {
		got, ok := Of(message)
		require.True(t, ok, message)
		require.Equal(t, want, got, message)
	}
	_, ok := Of("context deadline exceeded")
	require.False(t, ok, "nobody has refused anything")
}
