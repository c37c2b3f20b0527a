import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager'
import { CLIENT_CONFIG, sharedClient } from './clients.ts'

export const secretsManager = (): SecretsManagerClient =>
  sharedClient('secrets-manager', () => new SecretsManagerClient(CLIENT_CONFIG))
