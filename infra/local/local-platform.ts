// The platform of the stand-ins, in the terms of the stacks, and the environment of the local functions.
import { environment } from '../uses.ts'
import type { Platform } from '../platform.ts'
import { SURFACE, UNMATCHED } from '../surface.ts'
import { eachQueue } from '../topology.ts'
import { BUS_NAME } from './eventbridge.ts'
import type { Cognito } from './cognito/cognito.ts'
import type { Kms } from './kms.ts'
import { EVIDENCE_SECRET_ID, PROVIDERS_SECRET_ID, SECRET_ID } from './secrets.ts'
import type { Queues } from './sqs.ts'
import { KEYS_TABLE_NAME, TABLE_NAME } from './tables.ts'

/** First part of every local function's name. */
export const LOCAL_PREFIX = 'countersign-local'

const REGION = 'us-east-1'
const arn = (service: string, name: string) => `arn:aws:${service}:${REGION}:000000000000:${name}`

const bucket = (name: string) => ({ name: `countersign-${name}`, arn: `arn:aws:s3:::countersign-${name}` })

export type Parts = {
  kms: Kms
  cognito: Cognito
  queues: Queues
  streamArn: string
  dnsServers: string
  apiUrl: string
  appUrl: string
}

export function localPlatform({ kms, cognito, queues, streamArn, dnsServers, apiUrl, appUrl }: Parts): Platform {
  const named = (name: string) => ({ name, arn: arn('sqs', name) })
  const queue = (name: string) => ({ ...named(name), deadLetters: named(`${name}-dlq`) })
  return {
    prefix: LOCAL_PREFIX,
    region: REGION,
    dist: 'dist', // not read: functions are imported from their sources
    table: {
      name: TABLE_NAME,
      arn: arn('dynamodb', `table/${TABLE_NAME}`),
      streamArn,
      keyArn: arn('kms', 'key/table'),
    },
    keysTable: { name: KEYS_TABLE_NAME, arn: arn('dynamodb', `table/${KEYS_TABLE_NAME}`) },
    sealKeyArn: kms.sealKeyId,
    signKeyArn: kms.signKeyId,
    formerSignKeyArns: [],
    secretArn: SECRET_ID,
    evidenceSecretArn: EVIDENCE_SECRET_ID,
    providersSecretArn: PROVIDERS_SECRET_ID,
    oauthKeyArns: [kms.oauthKeyId],
    pool: cognito.pool,
    mail: { from: 'Countersign <no-reply@countersign.example>', arns: [] },
    dnsServers,
    roles: 'arn:aws:iam::000000000000:role/countersign-*',
    bus: { name: BUS_NAME, arn: arn('events', `event-bus/${BUS_NAME}`) },
    queueBase: queues.url(''),
    queues: eachQueue(queue),
    buckets: { evidence: bucket('evidence'), files: bucket('files') },
    passkeys: { relyingParty: '', origins: '' },
    passwordRangeUrl: '',
    training: { image: '', roleArn: '', instance: '', bedrockRoleArn: '', prices: '' },
    webhookRules: { firstAttempt: 'immediate', failuresMax: 5, errorDays: 5 },
    baseUrl: apiUrl,
    appUrl,
    evidenceOrigin: 'countersign.localhost',
    trustedProxyHops: 0,
    corsOrigins: appUrl,
  }
}

/** Variables that Lambda sets, and the addresses of the stand-ins for the SDK. */
const sdkEnvironment = (dynamodbUrl: string, awsUrl: string): Record<string, string> => ({
  AWS_REGION: REGION,
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_COGNITO_IDENTITY_PROVIDER: awsUrl,
  AWS_ENDPOINT_URL_DYNAMODB: dynamodbUrl,
  AWS_ENDPOINT_URL_EVENTBRIDGE: awsUrl,
  AWS_ENDPOINT_URL_KMS: awsUrl,
  AWS_ENDPOINT_URL_S3: awsUrl,
  AWS_ENDPOINT_URL_SECRETS_MANAGER: awsUrl,
  AWS_ENDPOINT_URL_SESV2: awsUrl,
  AWS_ENDPOINT_URL_SQS: awsUrl,
})

/** Variables of the developer's shell that could make the SDK call a real account. */
const FOREIGN = ['AWS_PROFILE', 'AWS_SESSION_TOKEN', 'AWS_ENDPOINT_URL', 'AWS_IGNORE_CONFIGURED_ENDPOINT_URLS']

/**
 * Local settings: receivers on this machine may be called, limits per address are higher because all callers share one
 * address, and SDK deadlines are longer because the stand-ins share this process.
 */
const LOCAL_SETTINGS = {
  OUTBOUND_ALLOW_CIDRS: '127.0.0.1/32,::1/128',
  OUTBOUND_ALLOW_HTTP: '1',
  ADDRESS_RATE_FACTOR: '20',
  SDK_TIMEOUT_FACTOR: '30',
}

/** Sets the environment of all functions, because they run in this process. */
export function applyEnvironment(platform: Platform, urls: { dynamodb: string; aws: string }): void {
  for (const name of FOREIGN) delete process.env[name]
  const rows = [...SURFACE.routes, ...SURFACE.workers, UNMATCHED]
  Object.assign(process.env, sdkEnvironment(urls.dynamodb, urls.aws), LOCAL_SETTINGS)
  for (const row of rows) Object.assign(process.env, environment(row, platform))
}
