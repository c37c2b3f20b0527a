// Commands that ask how resources are set. Apart from the clients, because hardly a function needs them.
export { DescribeContinuousBackupsCommand } from '@aws-sdk/client-dynamodb'
export { GetKeyRotationStatusCommand } from '@aws-sdk/client-kms'
export { GetBucketVersioningCommand, GetObjectLockConfigurationCommand } from '@aws-sdk/client-s3'
