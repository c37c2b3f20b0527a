// Stand-in for Secrets Manager with the one secret of the deployment, made at the first start and kept on disk.
import { randomBytes } from 'node:crypto'
import { AwsError } from './aws-error.ts'
import type { Actions } from './aws-server.ts'
import { type Disk, keptSecret } from './disk.ts'

export const SECRET_ID = 'countersign/deployment'

export function createSecrets(disk: Disk): Actions {
  const secret = keptSecret(disk, 'deployment-secret.json', () => ({
    pepper: { id: 'p1', value: randomBytes(32).toString('base64') },
    root: randomBytes(32).toString('base64'),
  }))
  const identity = { ARN: `arn:aws:secretsmanager:us-east-1:000000000000:secret:${SECRET_ID}`, Name: SECRET_ID }
  const versioned = (input: { SecretId: string; VersionStage?: string }) => {
    const known = input.SecretId === identity.Name || input.SecretId === identity.ARN
    if (known && (input.VersionStage ?? 'AWSCURRENT') === 'AWSCURRENT') return identity
    throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.")
  }
  return {
    'secretsmanager.GetSecretValue': (input: { SecretId: string; VersionStage?: string }) => ({
      ...versioned(input),
      SecretString: JSON.stringify(secret),
      VersionId: 'local',
      VersionStages: ['AWSCURRENT'],
    }),
    'secretsmanager.DescribeSecret': (input: { SecretId: string }) => versioned(input),
  }
}
