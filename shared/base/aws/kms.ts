import { KMSClient } from '@aws-sdk/client-kms'
import { clientConfig, sharedClient } from './clients.ts'

export const kms = (): KMSClient => sharedClient('kms', () => new KMSClient(clientConfig()))

// For dynamic imports of this file: importing the package itself would bundle all of it.
export {
  DecryptCommand,
  DescribeKeyCommand,
  GenerateDataKeyCommand,
  GetPublicKeyCommand,
  ReEncryptCommand,
  SignCommand,
} from '@aws-sdk/client-kms'
