import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { clientConfig, sharedClient } from './clients.ts'

export const secretsManager = (): SecretsManagerClient =>
  sharedClient('secrets-manager', () => new SecretsManagerClient(clientConfig()))

// For dynamic imports of this file: importing the package itself would bundle all of it.
export { GetSecretValueCommand } from '@aws-sdk/client-secrets-manager'
