// Stands in for the SDK's endpoint discovery in the bundles: no client of ours installs its middleware, so its cache (an
// LRU library and its helpers, 9 KB) would be made for each DynamoDB client and never asked.

/** Leaves the client as it is. */
export const resolveEndpointDiscoveryConfig = <C>(config: C): C => config

/** Reads no setting. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
}
