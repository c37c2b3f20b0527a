import { S3Client } from '@aws-sdk/client-s3'
import { clientConfig, sharedClient } from './clients.ts'

export const s3 = (): S3Client => sharedClient('s3', () => new S3Client({ ...clientConfig(), forcePathStyle: true }))

// For dynamic imports of this file: importing the package itself would bundle all of it.
export {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
