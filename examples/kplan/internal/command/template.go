// SPDX-License-Identifier: Apache-2.0

package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// templateText returns a template as YAML, without the defaults that the API server always adds.
// It escapes characters that the API server accepts and YAML does not.
func templateText(t *corev1.PodTemplateSpec) (string, error) {
	text, err := json.Marshal(t)
	if err != nil {
		return "", err
	}
	out, err := yaml.JSONToYAML(ascii(text))
	return string(out), err
}

// ascii escapes characters in strings of a JSON text that YAML may reject.
func ascii(text []byte) []byte {
	var b bytes.Buffer
	for _, r := range string(text) {
		if r < utf8.RuneSelf && r != 0x7f || strconv.IsPrint(r) || r > 0xffff {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "\\u%04x", r)
		}
	}
	return b.Bytes()
}
