// Package adopters shows what a project that carries its own copy of such planners would
// write instead: adapters from its terms to those of kplan, at most 40 lines each, in text of
// our own. Its tests run every recorded case of these projects through them.
package adopters
