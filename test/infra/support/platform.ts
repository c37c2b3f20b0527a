// The platform as the resolved templates spell it, so that what a row should get can be compared with what it got.
import type { Platform } from '../../../infra/platform.ts'
import { eachQueue } from '../../../infra/topology.ts'
import type { Assembly } from './assembly.ts'

/** Context of a deployment that may train models elsewhere. */
export const PROVIDERS = {
  trainingImage: '000000000000.dkr.ecr.us-east-1.amazonaws.com/trl:1',
  trainingRole: 'arn:aws:iam::000000000000:role/trains',
  bedrockRole: 'arn:aws:iam::000000000000:role/tunes',
}

/** Values of a deployment's functions, in the resolver's notation. */
export function resolvedPlatform({ of, all }: Assembly): Platform {
  const apiId = (name: string) => all('AWS::ApiGateway::RestApi').find(({ path }) => path.includes(`/${name}/`))?.ref
  const host = (name: string) => `${apiId(name)}.execute-api.<AWS::Region>.<AWS::URLSuffix>`
  const addressed = (name: string) => ({
    name: of(`Messaging/${name}`, 'QueueName'),
    arn: of(`Messaging/${name}`, 'Arn'),
  })
  const queue = (name: string) => ({ ...addressed(name), deadLetters: addressed(`${name}-dlq`) })
  const identity = (name: string) => `arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:identity/${name}`
  const bucket = (name: string) => ({ name: of(`Storage/${name}`), arn: of(`Storage/${name}`, 'Arn') })
  return {
    prefix: 'countersign',
    region: '<AWS::Region>',
    dist: '',
    table: {
      name: of('Storage/Table'),
      arn: of('Storage/Table', 'Arn'),
      streamArn: of('Storage/Table', 'StreamArn'),
      keyArn: of('Storage/TableKey', 'Arn'),
    },
    keysTable: { name: of('Storage/KeysTable'), arn: of('Storage/KeysTable', 'Arn') },
    sealKeyArn: of('Storage/SealKey', 'Arn'),
    signKeyArn: of('Storage/SignKey', 'Arn'),
    formerSignKeyArns: [],
    oauthKeyArns: [of('Storage/OauthKey', 'Arn')],
    pool: {
      id: of('UserPool/Pool'),
      arn: of('UserPool/Pool', 'Arn'),
      clientId: of('UserPool/Pool/Service'),
      issuer: `https://cognito-idp.<AWS::Region>.amazonaws.com/${of('UserPool/Pool')}`,
    },
    mail: {
      from: 'Countersign <no-reply@mail.example>',
      arns: ['no-reply@mail.example', 'mail.example'].map(identity),
    },
    dnsServers: '1.1.1.1,8.8.8.8',
    roles: 'arn:<AWS::Partition>:iam::<AWS::AccountId>:role/countersign-*',
    secretArn: of('Storage/Secret'),
    evidenceSecretArn: of('Storage/EvidenceSecret'),
    providersSecretArn: of('Storage/ProvidersSecret'),
    bus: { name: of('Messaging/Bus'), arn: of('Messaging/Bus', 'Arn') },
    queueBase: 'https://sqs.<AWS::Region>.<AWS::URLSuffix>/<AWS::AccountId>/countersign-',
    queues: eachQueue(queue),
    buckets: { evidence: bucket('Checkpoints'), files: bucket('Files') },
    passkeys: { relyingParty: '', origins: '' },
    passwordRangeUrl: '',
    training: {
      image: PROVIDERS.trainingImage,
      roleArn: PROVIDERS.trainingRole,
      instance: 'ml.g5.2xlarge',
      bedrockRoleArn: PROVIDERS.bedrockRole,
      prices: '',
    },
    webhookRules: { firstAttempt: 'immediate', failuresMax: 5, errorDays: 5 },
    baseUrl: `https://${host('api')}/live`,
    appUrl: `https://${host('app')}/live`,
    evidenceOrigin: host('api'),
    trustedProxyHops: 0,
    corsOrigins: `https://${host('app')}/live`,
  }
}
