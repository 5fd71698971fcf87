// SPDX-License-Identifier: Apache-2.0

package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// YAML writes a value as YAML, with the same fields and order as JSON. Hidden characters are
// written as escape sequences, which YAML reads as the same text.
func (w *Writer) YAML(value any) {
	text, err := yamlOf(value)
	if err != nil {
		w.fail(err)
		return
	}
	w.write(text)
}

func yamlOf(value any) (string, error) {
	var document bytes.Buffer
	encoder := json.NewEncoder(&document)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return "", err
	}
	decoder := json.NewDecoder(&document)
	decoder.UseNumber()
	node, err := nodeOf(decoder)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	out := yaml.NewEncoder(&text)
	out.SetIndent(2)
	if err := out.Encode(node); err != nil {
		return "", err
	}
	return escapeYAML(text.String()), nil
}

// nodeOf reads one value of a JSON document.
func nodeOf(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case json.Delim:
		return collectionOf(d, token)
	case string:
		return stringNode(token), nil
	case json.Number:
		return &yaml.Node{Kind: yaml.ScalarNode, Value: token.String()}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(token)}, nil
	}
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}, nil
}

// collectionOf reads the rest of an object or a list.
func collectionOf(d *json.Decoder, begin json.Delim) (*yaml.Node, error) {
	node := &yaml.Node{Kind: yaml.SequenceNode}
	if begin == '{' {
		node.Kind = yaml.MappingNode
	}
	for d.More() {
		child, err := nodeOf(d)
		if err != nil {
			return nil, err
		}
		node.Content = append(node.Content, child)
	}
	if len(node.Content) == 0 {
		node.Style = yaml.FlowStyle // {} or []
	}
	_, err := d.Token()
	return node, err
}

// stringNode returns a text. It is quoted if YAML could read it as another type, or if it has
// hidden characters, which can be escaped only in quotes.
func stringNode(text string) *yaml.Node {
	node := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if strings.IndexFunc(text, hidden) >= 0 || ambiguous(text) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

// ambiguous reports whether YAML 1.1, which kubectl reads, may take a text for something else: a
// boolean, a number with colons, or a merge key.
func ambiguous(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "<<", "=":
		return true
	}
	return text != "" && strings.Trim(text, "0123456789:._+-") == ""
}

// escapeYAML escapes hidden characters, which only double-quoted texts contain.
func escapeYAML(document string) string {
	special := func(r rune) bool { return r > '~' && hidden(r) }
	if strings.IndexFunc(document, special) < 0 {
		return document
	}
	var b strings.Builder
	for _, r := range document {
		if special(r) {
			fmt.Fprintf(&b, `\U%08x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
