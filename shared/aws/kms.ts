import { KMSClient } from '@aws-sdk/client-kms'
import { CLIENT_CONFIG, sharedClient } from './clients.ts'

export const kms = (): KMSClient => sharedClient('kms', () => new KMSClient(CLIENT_CONFIG))

// For callers that load this file late: importing the package itself would bundle all of it.
export {
  DecryptCommand,
  DescribeKeyCommand,
  GenerateDataKeyCommand,
  GetPublicKeyCommand,
  ReEncryptCommand,
  SignCommand,
} from '@aws-sdk/client-kms'
