import { KMSClient } from '@aws-sdk/client-kms'
import { CLIENT_CONFIG, sharedClient } from './clients.ts'

export const kms = (): KMSClient => sharedClient('kms', () => new KMSClient(CLIENT_CONFIG))
