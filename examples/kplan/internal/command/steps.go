// SPDX-License-Identifier: Apache-2.0

package command

import (
	"slices"

	"github.com/spf13/cobra"
)

// csvFormat is a format only of simulations: their steps as a table for spreadsheets.
const csvFormat = outputFormat("csv")

// A stepFormat is an output format, or csvFormat.
type stepFormat struct{ *outputFormat }

// addCSV makes the flag of a command accept csvFormat as well.
func (o *outputFormat) addCSV(c *cobra.Command) {
	f := c.Flags().Lookup("output")
	f.Value, f.Usage = stepFormat{o}, f.Usage+"; also csv"
}

func (f stepFormat) offered() []string { return slices.Concat(formats, []string{string(csvFormat)}) }

// Set accepts the formats.
func (f stepFormat) Set(s string) error {
	if s == string(csvFormat) {
		*f.outputFormat = csvFormat
		return nil
	}
	return f.outputFormat.Set(s)
}
