// Replaces the SDK's endpoint discovery in bundles. No client of the service uses it, but each DynamoDB client would create
// its cache (an LRU library and helpers, 9 KB).

/** Leaves the client as it is. */
export const resolveEndpointDiscoveryConfig = <C>(config: C): C => config

/** Reads no setting. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
}
