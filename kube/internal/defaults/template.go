// SPDX-License-Identifier: Apache-2.0

package defaults

import "slices"

// podTemplate are the rows of a pod template. A pod itself has more defaults.
func podTemplate() []row {
	return slices.Concat(
		at("spec.dnsPolicy", "ClusterFirst"),
		at("spec.restartPolicy", "Always"),
		at("spec.securityContext", object),
		at("spec.terminationGracePeriodSeconds", 30),
		at("spec.schedulerName", "default-scheduler"),
		at("spec.serviceAccountName", same("serviceAccount")),
		anyway("spec.serviceAccount", same("serviceAccountName")), // the older name
		anyway("spec.overhead.*", milli),
		anyway("spec.resources.{limits,requests}.*", milli),
		below("spec.volumes.*", volume()),
		below("spec.initContainers.*", container()),
		below("spec.containers.*", container()),
		below("spec.ephemeralContainers.*", container()),
	)
}

func container() []row {
	return slices.Concat(
		pullPolicy("imagePullPolicy", "image"),
		at("terminationMessagePath", "/dev/termination-log"),
		at("terminationMessagePolicy", "File"),
		at("ports.*.protocol", "TCP"),
		at("env.*.valueFrom.fieldRef.apiVersion", "v1"),
		at("env.*.valueFrom.fileKeyRef.optional", false),
		anyway("resources.{limits,requests}.*", milli),
		below("livenessProbe", probe()),
		below("readinessProbe", probe()),
		below("startupProbe", probe()),
		below("lifecycle.postStart.httpGet", httpGet()),
		below("lifecycle.preStop.httpGet", httpGet()),
	)
}

// pullPolicy are the rows of an image pull policy: its default depends on the image.
func pullPolicy(policy, image string) []row {
	return slices.Concat(at(policy, "Always", latest(image)), at(policy, "IfNotPresent"))
}

func probe() []row {
	return slices.Concat(
		at("timeoutSeconds", 1),
		at("periodSeconds", 10),
		at("successThreshold", 1),
		at("failureThreshold", 3),
		at("grpc.service", ""),
		below("httpGet", httpGet()),
	)
}

func httpGet() []row {
	return slices.Concat(at("path", "/"), at("scheme", "HTTP"))
}

func volume() []row {
	return slices.Concat(
		at("emptyDir", object, alone("name")),
		below("image", pullPolicy("pullPolicy", "reference")),
		at("hostPath.type", ""),
		at("secret.defaultMode", 0o644),
		at("configMap.defaultMode", 0o644),
		at("downwardAPI.defaultMode", 0o644),
		at("downwardAPI.items.*.fieldRef.apiVersion", "v1"),
		at("projected.defaultMode", 0o644),
		at("projected.sources.*.downwardAPI.items.*.fieldRef.apiVersion", "v1"),
		at("projected.sources.*.serviceAccountToken.expirationSeconds", 60*60),
		below("ephemeral.volumeClaimTemplate.spec", claim()),
		at("iscsi.iscsiInterface", "default"),
		at("rbd.pool", "rbd"),
		at("rbd.user", "admin"),
		at("rbd.keyring", "/etc/ceph/keyring"),
		at("azureDisk.cachingMode", "ReadWrite"),
		at("azureDisk.fsType", "ext4"),
		at("azureDisk.readOnly", false),
		at("azureDisk.kind", "Shared"),
		at("scaleIO.storageMode", "ThinProvisioned"),
		at("scaleIO.fsType", "xfs"),
	)
}
