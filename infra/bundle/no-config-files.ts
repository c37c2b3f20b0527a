// Stands in for the SDK's reader of `~/.aws` in the bundles: a Lambda function has no such files. Each client would look
// for them before its first call, and Node's file promises would be loaded for it.

/** Settings by profile: none. */
export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} })

/** Between a section and its settings in names that are never asked for. */
export const CONFIG_PREFIX_SEPARATOR = '.'
