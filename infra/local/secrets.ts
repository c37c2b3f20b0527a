// Stand-in for Secrets Manager with the secrets of the deployment, made at the first start and kept on disk.
import { randomBytes } from 'node:crypto'
import { AwsError } from './aws-error.ts'
import type { Actions } from './aws-server.ts'
import { type Disk, keptSecret } from './disk.ts'

export const SECRET_ID = 'countersign/deployment'
export const EVIDENCE_SECRET_ID = 'countersign/evidence'
export const PROVIDERS_SECRET_ID = 'countersign/providers'

type Request = { SecretId: string; VersionStage?: string }

const random = () => randomBytes(32).toString('base64')
const arnOf = (id: string) => `arn:aws:secretsmanager:us-east-1:000000000000:secret:${id}`

/** `providers`: what the stand-ins of providers answer to. */
export function createSecrets(disk: Disk, providers: object = {}): Actions {
  const secrets = new Map<string, object>([
    [
      SECRET_ID,
      keptSecret(disk, 'deployment-secret.json', () => ({ pepper: { id: 'p1', value: random() }, root: random() })),
    ],
    [EVIDENCE_SECRET_ID, keptSecret(disk, 'evidence-secret.json', () => ({ key: random() }))],
    [PROVIDERS_SECRET_ID, providers],
  ])
  return {
    'secretsmanager.GetSecretValue': ({ SecretId, VersionStage = 'AWSCURRENT' }: Request) => {
      const Name = [...secrets.keys()].find((id) => [id, arnOf(id)].includes(SecretId))
      if (!Name || VersionStage !== 'AWSCURRENT') {
        throw new AwsError('ResourceNotFoundException', "Secrets Manager can't find the specified secret.")
      }
      const SecretString = JSON.stringify(secrets.get(Name))
      return { ARN: arnOf(Name), Name, SecretString, VersionStages: ['AWSCURRENT'] }
    },
  }
}
