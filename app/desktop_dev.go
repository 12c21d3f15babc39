//go:build desktop && dev

package app

// devBuild serves the panel from a folder, and to any browser on the machine.
const devBuild = true
