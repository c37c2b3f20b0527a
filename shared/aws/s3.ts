import { S3Client } from '@aws-sdk/client-s3'
import { CLIENT_CONFIG, sharedClient } from './clients.ts'

export const s3 = (): S3Client => sharedClient('s3', () => new S3Client({ ...CLIENT_CONFIG, forcePathStyle: true }))
