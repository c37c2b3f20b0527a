// Stand-in for Secrets Manager with the one secret of the deployment, made at the first start and kept on disk.
import { randomBytes } from 'node:crypto'
import { AwsError } from './aws-error.ts'
import type { Actions } from './aws-server.ts'
import { type Disk, keptSecret } from './disk.ts'

export const SECRET_ID = 'countersign/deployment'

type Request = { SecretId: string; VersionStage?: string }

export function createSecrets(disk: Disk): Actions {
  const secret = keptSecret(disk, 'deployment-secret.json', () => ({
    pepper: { id: 'p1', value: randomBytes(32).toString('base64') },
    root: randomBytes(32).toString('base64'),
  }))
  const ARN = `arn:aws:secretsmanager:us-east-1:000000000000:secret:${SECRET_ID}`
  return {
    'secretsmanager.GetSecretValue': ({ SecretId, VersionStage = 'AWSCURRENT' }: Request) => {
      if (![SECRET_ID, ARN].includes(SecretId) || VersionStage !== 'AWSCURRENT') {
        throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.")
      }
      return { ARN, Name: SECRET_ID, SecretString: JSON.stringify(secret), VersionStages: ['AWSCURRENT'] }
    },
  }
}
