// All resources of the service except functions, as plain data. The CDK stacks and the local service are both built from
// this file, so they cannot differ.
import type { BucketName } from '../shared/base/wire/route.ts'
import type { QueueName } from '../shared/base/catalog/queues.ts'
import { FIBONACCI_RETRIES } from '../shared/base/limits/published.ts'
import { RETRY_BASE_SECONDS } from '../shared/deliver/webhooks/schedule.ts'

/** The single table. gsi1: lists inside a tenant. gsi2 (sparse): due work, and look-ups by a value. gsi3, gsi4 (sparse): more of these. */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  ttl: '_ttl',
  /** Indexes hold keys only; items are read consistently from the table. */
  projection: 'KEYS_ONLY',
  indexes: [
    { name: 'gsi1', partitionKey: 'gsi1pk', sortKey: 'gsi1sk' },
    { name: 'gsi2', partitionKey: 'gsi2pk', sortKey: 'gsi2sk' },
    { name: 'gsi3', partitionKey: 'gsi3pk', sortKey: 'gsi3sk' },
    { name: 'gsi4', partitionKey: 'gsi4pk', sortKey: 'gsi4sk' },
  ],
} as const

/** Wrapped data keys: no stream, no point-in-time recovery, so that a deleted key is gone (crypto-shredding). */
export const KEYS_TABLE = { partitionKey: 'pk', sortKey: 'sk' } as const

/** `kms`: encrypted under the account's KMS key for SQS, whose use is logged, instead of a key of SQS. */
type Queue = { visibilitySeconds: number; maxReceives: number; kms?: true }

/** Each queue has a dead-letter queue `<name>-dlq`. Visibility is at least six times the consumer's time-out. */
export const QUEUES: Record<QueueName, Queue> = {
  // Its worker lets failed messages come back earlier, so they may come more often.
  'webhook-fanout': { visibilitySeconds: 180, maxReceives: 8 },
  checkpoints: { visibilitySeconds: 360, maxReceives: 3 },
  exports: { visibilitySeconds: 5_400, maxReceives: 3 },
  verifications: { visibilitySeconds: 360, maxReceives: 3 },
  mail: { visibilitySeconds: 180, maxReceives: 3, kms: true },
  // Its worker lets failed messages come back later each time, and gives up before the queue does.
  logouts: { visibilitySeconds: 360, maxReceives: 10 },
  measure: { visibilitySeconds: 360, maxReceives: 3 },
  steps: { visibilitySeconds: 360, maxReceives: 3 },
  checks: { visibilitySeconds: 720, maxReceives: 3 },
  training: { visibilitySeconds: 5_400, maxReceives: 3 },
  syncs: { visibilitySeconds: 720, maxReceives: 3 },
  billing: { visibilitySeconds: 360, maxReceives: 5 },
}

/** One thing for each queue. */
export const eachQueue = <T>(make: (name: QueueName) => T): Record<QueueName, T> =>
  // The names are the keys of QUEUES, which its type makes complete.
  Object.fromEntries((Object.keys(QUEUES) as QueueName[]).map((name) => [name, make(name)])) as Record<QueueName, T>

/**
 * `evidence`: versioned, with Object Lock and a default retention in days. `files`: exports and uploads, without versions, so
 * that deleted files are gone; exports expire after a number of days.
 */
export const BUCKETS = {
  evidence: { objectLockDays: 2_555 },
  files: { made: 'exports/', madeDeletedAfterDays: 7 },
} as const satisfies Record<BucketName, object>

/** Bus rules. Internal messages have another source, so they do not match the first rule. */
export const RULES = {
  'events-to-fanout': { source: 'countersign.events', target: { queue: 'webhook-fanout' } },
  'failed-delivery-to-retries': {
    source: 'countersign.internal',
    detailType: 'webhook.delivery.retry',
    target: { stateMachine: 'webhook-retries', inputPath: '$.detail' },
  },
} as const

/**
 * The user pool stores passwords and issues session tokens. Usernames are ids of the service. The e-mail address is not an
 * alias, because it may have accounts in several tenants.
 */
export const USER_POOL = {
  /** The attribute `custom:<this>`, which cannot be changed after creation. */
  tenantAttribute: 'tenant_id',
  passwordLengthMin: 8,
  flows: ['ALLOW_ADMIN_USER_PASSWORD_AUTH', 'ALLOW_CUSTOM_AUTH', 'ALLOW_REFRESH_TOKEN_AUTH'],
  accessMinutes: 15,
  refreshDays: 30,
  challengeMinutes: 3,
} as const

const lambdaTask = (functionArn: string) => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  TimeoutSeconds: 30,
  Parameters: {
    FunctionName: `\${${functionArn}}`,
    Payload: { 'delivery.$': '$.delivery', 'attempt.$': '$.state.attempt', 'execution_id.$': '$$.Execution.Id' },
  },
})

const outcomeIs = (outcome: string) => ({ Variable: '$.state.outcome', StringEquals: outcome })

/**
 * The delivery state machine (JSONPath): seven retries of one failing delivery. Each attempt returns the wait before the
 * next one, which saves two transitions per retry. Input: ids and the last outcome.
 */
export function webhookRetries(baseSeconds: number = RETRY_BASE_SECONDS) {
  return {
    StartAt: 'Decide',
    TimeoutSeconds: 14_400,
    States: {
      Decide: {
        Type: 'Choice',
        Default: 'Exhausted',
        Choices: [
          { Or: [outcomeIs('delivered'), outcomeIs('stopped')], Next: 'Done' },
          { Variable: '$.state.attempt', NumericLessThan: 0, Next: 'Deliver' },
          { Variable: '$.state.attempt', NumericLessThan: FIBONACCI_RETRIES.length, Next: 'Backoff' },
        ],
      },
      Backoff: { Type: 'Wait', SecondsPath: '$.state.wait_seconds', Next: 'Deliver' },
      Deliver: {
        ...lambdaTask('RetryWebhookArn'),
        Next: 'Decide',
        ResultPath: '$.state',
        ResultSelector: {
          'outcome.$': '$.Payload.outcome',
          'attempt.$': '$.Payload.attempt',
          'wait_seconds.$': '$.Payload.wait_seconds',
        },
        Retry: [
          {
            ErrorEquals: [
              'Lambda.ServiceException',
              'Lambda.AWSLambdaException',
              'Lambda.SdkClientException',
              'Lambda.TooManyRequestsException',
            ],
            IntervalSeconds: 2,
            MaxAttempts: 6,
            BackoffRate: 2,
            MaxDelaySeconds: 30,
            JitterStrategy: 'FULL',
          },
        ],
        Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'CrashPause' }],
      },
      CrashPause: { Type: 'Wait', Seconds: baseSeconds, Next: 'Deliver' },
      Exhausted: {
        ...lambdaTask('FailWebhookArn'),
        Next: 'Done',
        ResultPath: '$.failed',
        Retry: [
          {
            ErrorEquals: ['States.ALL'],
            IntervalSeconds: 2,
            MaxAttempts: 8,
            BackoffRate: 2,
            MaxDelaySeconds: 60,
            JitterStrategy: 'FULL',
          },
        ],
      },
      Done: { Type: 'Succeed' },
    },
  }
}

/**
 * Environment variables by the `uses` of a row. Values are names and addresses, never secrets. `secret` is added to every
 * row whose `access` needs a credential.
 */
export const ENVIRONMENT = {
  always: [
    'TABLE_NAME',
    'BASE_URL',
    'APP_URL',
    'CORS_ORIGINS',
    'REGION',
    'EVIDENCE_ORIGIN',
    'COGNITO_ISSUER',
    'COGNITO_CLIENT_ID',
    'TRUSTED_PROXY_HOPS',
  ],
  cognito: ['COGNITO_POOL_ID'],
  mail: ['MAIL_FROM'],
  describe: ['SEAL_KEY_ID', 'EVIDENCE_BUCKET'],
  customerKeys: ['KEYS_TABLE_NAME', 'SEAL_KEY_ID', 'SEALING_ROLES'],
  dns: ['DNS_SERVERS'],
  oauthKey: ['OAUTH_KEY_IDS'],
  outbound: ['EGRESS_ADDRESSES'],
  leakedPasswords: ['PASSWORD_RANGE_URL'],
  passkeys: ['WEBAUTHN_RP_ID', 'WEBAUTHN_ORIGINS'],
  webhookRules: ['WEBHOOK_FIRST_ATTEMPT', 'WEBHOOK_FAILURES_MAX', 'WEBHOOK_ERROR_DAYS'],
  secret: ['SECRET_ID'],
  attest: ['EVIDENCE_SECRET_ID'],
  providers: ['PROVIDERS_SECRET_ID'],
  seal: ['KEYS_TABLE_NAME', 'SEAL_KEY_ID'],
  sign: ['SIGN_KEY_ID', 'FORMER_SIGN_KEY_IDS'],
  verifyKey: ['SIGN_KEY_ID', 'FORMER_SIGN_KEY_IDS'],
  bus: ['BUS_NAME'],
  metrics: ['DEPLOYMENT'],
  training: ['TRAINING_IMAGE', 'TRAINING_ROLE_ARN', 'TRAINING_INSTANCE', 'BEDROCK_ROLE_ARN', 'TRAINING_PRICES'],
  health: ['BUS_NAME', 'SIGN_KEY_ID', 'QUEUE_BASE'],
  inspect: ['QUEUE_BASE'],
  queue: ['QUEUE_BASE'],
  bucket: { evidence: 'EVIDENCE_BUCKET', files: 'FILES_BUCKET' },
  asset: {
    'openapi.json': 'OPENAPI_FILE',
    'docs.json': 'DOCS_FILE',
    'verify.mjs': 'VERIFIER_FILE',
    'FORMAT.md': 'FORMAT_FILE',
    'countries.mmdb': 'COUNTRIES_FILE',
    'DejaVuSans.ttf': 'FONT_FILE',
    'DejaVuSans-Bold.ttf': 'BOLD_FONT_FILE',
  },
} as const
