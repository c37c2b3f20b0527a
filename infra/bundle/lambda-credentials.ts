// Replaces the SDK's chain of credential providers in bundles. Lambda passes credentials in the environment, so the chain
// (shared files, SSO, instance metadata) would be 135 KB of unused code.

/** Credentials of the execution role; they do not change while a container lives. */
export const defaultProvider = () => async () => ({
  accessKeyId: process.env.AWS_ACCESS_KEY_ID ?? '',
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY ?? '',
  sessionToken: process.env.AWS_SESSION_TOKEN,
})
