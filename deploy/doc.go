// Package deploy holds what is deployed against what it says: the compose file, the Dockerfile, and the configuration that both
// mount. It is a module of its own, so that the product depends neither on compose-go nor on BuildKit's parser.
//
// With the tag watch it runs all that the compose file wires, but Grafana, as processes without containers; .ci/watch does so.
package deploy
