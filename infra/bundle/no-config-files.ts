// Replaces the SDK's reader of `~/.aws` in bundles. A Lambda function has no such files, but each client would look for them
// before its first call and load Node's file promises.

/** Settings by profile: none. */
export const loadSharedConfigFiles = async () => ({ configFile: {}, credentialsFile: {} })

/** Required by the interface; never used. */
export const CONFIG_PREFIX_SEPARATOR = '.'
