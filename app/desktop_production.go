//go:build desktop && !dev

package app

const devBuild = false
