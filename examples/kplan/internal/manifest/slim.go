package manifest

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// maxAnnotation is how long an annotation of a pod may be that no planner knows: those of
// controllers and of OpenKruise.
const maxAnnotation = 64

// slim takes away from a pod what no command looks at, which is most of it: there may be
// hundreds of thousands. What pods request and why they do not serve stays.
func slim(p *corev1.Pod) *corev1.Pod {
	p.ManagedFields = nil
	for key, value := range p.Annotations {
		if len(value) > maxAnnotation && !strings.Contains(key, "kruise.io/") && !strings.HasPrefix(key, "controller.") {
			p.Annotations[key] = ""
		}
	}
	s := &p.Spec
	s.Volumes, s.ImagePullSecrets, s.HostAliases, s.DNSConfig = nil, nil, nil, nil
	for _, list := range [][]corev1.Container{s.InitContainers, s.Containers} {
		for i := range list {
			c := &list[i]
			c.Command, c.Args, c.Env, c.EnvFrom, c.VolumeMounts, c.Ports = nil, nil, nil, nil, nil, nil
			c.LivenessProbe, c.ReadinessProbe, c.StartupProbe, c.Lifecycle, c.SecurityContext = nil, nil, nil, nil, nil
		}
	}
	return p
}
