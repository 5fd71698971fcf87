// SPDX-License-Identifier: Apache-2.0

package selector

const valuePattern = `(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?`

const valueDetail = "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
	"start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '" +
	valuePattern + "')"

// ValidateValue returns the errors of a label value, or nil if it is valid. The empty value
// is valid.
//
// It mirrors IsValidLabelValue of package validation of apimachinery.
func ValidateValue(value string) []string {
	var messages []string
	if len(value) > maxName {
		messages = append(messages, "must be no more than 63 bytes")
	}
	if value != "" && !isName(value) {
		messages = append(messages, valueDetail)
	}
	return messages
}

// validValue reports whether ValidateValue returns no errors, without creating their texts.
func validValue(value string) bool {
	return value == "" || len(value) <= maxName && isName(value)
}
