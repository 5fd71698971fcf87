// SPDX-License-Identifier: Apache-2.0

package playground

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
)

// canonical returns a text for a template. Two templates have the same text if and only if a
// cluster treats them as equal: unset fields and the common defaults of the API server are left
// out. It changes the template.
func canonical(template any) (string, error) {
	for path, value := range defaults() {
		without(template, strings.Split(path, "."), value)
	}
	for _, path := range []string{"spec.containers", "spec.initContainers"} {
		each(template, strings.Split(path, "."), withoutPullPolicy)
	}
	text, err := json.Marshal(unset(template))
	if err != nil {
		return "", errors.New("spec.template: keys must be strings, and numbers finite")
	}
	return string(text), nil
}

// defaults returns defaults of the API server by path. A * in a path is any element of a list.
func defaults() map[string]any {
	rows := map[string]any{
		"spec.restartPolicy":                   "Always",
		"spec.dnsPolicy":                       "ClusterFirst",
		"spec.schedulerName":                   "default-scheduler",
		"spec.terminationGracePeriodSeconds":   30,
		"spec.securityContext":                 map[string]any{},
		"spec.volumes.*.configMap.defaultMode": 0o644,
		"spec.volumes.*.secret.defaultMode":    0o644,
		"spec.volumes.*.projected.defaultMode": 0o644,
	}
	for _, list := range []string{"spec.containers.*.", "spec.initContainers.*."} {
		rows[list+"terminationMessagePath"] = "/dev/termination-log"
		rows[list+"terminationMessagePolicy"] = "File"
		rows[list+"resources"] = map[string]any{}
		rows[list+"ports.*.protocol"] = "TCP"
		rows[list+"env.*.valueFrom.fieldRef.apiVersion"] = "v1"
		for _, probe := range []string{"livenessProbe.", "readinessProbe.", "startupProbe."} {
			rows[list+probe+"timeoutSeconds"] = 1
			rows[list+probe+"periodSeconds"] = 10
			rows[list+probe+"successThreshold"] = 1
			rows[list+probe+"failureThreshold"] = 3
			rows[list+probe+"httpGet.scheme"] = "HTTP"
			rows[list+probe+"httpGet.path"] = "/"
		}
	}
	return rows
}

// without removes a field at a path wherever it has the value.
func without(v any, path []string, value any) {
	name := path[len(path)-1]
	each(v, path[:len(path)-1], func(parent map[string]any) {
		if reflect.DeepEqual(parent[name], value) {
			delete(parent, name)
		}
	})
}

// each calls do for all objects at a path. It also descends into lists that the path does not
// name.
func each(v any, path []string, do func(map[string]any)) {
	switch v := v.(type) {
	case []any:
		if len(path) > 0 && path[0] == "*" {
			path = path[1:]
		}
		for _, element := range v {
			each(element, path, do)
		}
	case map[string]any:
		if len(path) == 0 {
			do(v)
			return
		}
		each(v[path[0]], path[1:], do)
	}
}

// withoutPullPolicy removes the default pull policy of an image: Always for the tag latest,
// otherwise IfNotPresent.
func withoutPullPolicy(container map[string]any) {
	image, _ := container["image"].(string)
	name, _, pinned := strings.Cut(image, "@")
	_, tag, tagged := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
	usual := "IfNotPresent"
	if tag == "latest" || !tagged && !pinned {
		usual = "Always"
	}
	if container["imagePullPolicy"] == usual {
		delete(container, "imagePullPolicy")
	}
}

// unset returns a value without nulls and empty lists.
func unset(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if list, isList := value.([]any); value == nil || isList && len(list) == 0 {
				delete(v, key)
				continue
			}
			v[key] = unset(value)
		}
	case []any:
		for i := range v {
			v[i] = unset(v[i])
		}
	}
	return v
}
