// The names and addresses of one deployment, without secrets. In stacks the values are CDK tokens, in tests plain strings.
import type { BucketName } from '../shared/base/wire/route.ts'
import type { QueueName } from '../shared/base/catalog/queues.ts'

export type Queue = { name: string; arn: string }

export type Platform = {
  /** Prefix of every function name, unique per account. */
  prefix: string
  region: string
  /** Folder of the bundles. */
  dist: string
  table: { name: string; arn: string; streamArn: string; keyArn: string }
  keysTable: { name: string; arn: string }
  /** Wraps the tenants' data keys. */
  sealKeyArn: string
  /** Signs checkpoints. */
  signKeyArn: string
  /** Former keys for checkpoints, oldest first. */
  formerSignKeyArns: readonly string[]
  secretArn: string
  /** The secret that attests artifacts. */
  evidenceSecretArn: string
  /** What the operator has agreed with providers. See provider-secrets.ts. */
  providersSecretArn: string
  /** Sign OAuth tokens: the first signs, all are published. */
  oauthKeyArns: readonly string[]
  /** The user pool and its one app client. */
  pool: { id: string; arn: string; clientId: string; issuer: string }
  /** Sender of mails, empty when none is configured, and the identities that may be sent from. */
  mail: { from: string; arns: readonly string[] }
  /** Name servers, comma-separated. All of them must return the record of a domain. */
  dnsServers: string
  /** ARN pattern of the functions' roles, for the policies of keys that tenants manage themselves. */
  roles: string
  bus: { name: string; arn: string }
  queues: Record<QueueName, Queue & { deadLetters: Queue }>
  /** The address of every queue but for its name, which follows. */
  queueBase: string
  buckets: Record<BucketName, { name: string; arn: string }>
  /** The network of functions that call out, if they have fixed source addresses. */
  network?: { subnetIds: string[]; securityGroupIds: string[]; addresses: string[] } | undefined
  /** Encrypts log groups; without it CloudWatch does. */
  logKeyArn?: string | undefined
  /** Reserved concurrency by function id, which is also the maximum. */
  reservations?: ReadonlyMap<string, number>
  /** Empty: passwords are not looked up. */
  passwordRangeUrl: string
  /** Providers of training: the image and the role of SageMaker, the role of Bedrock; empty ones are not configured. */
  training: { image: string; roleArn: string; instance: string; bedrockRoleArn: string; prices: string }
  /** The relying party of passkeys and its further origins. Empty: only the application host. */
  passkeys: { relyingParty: string; origins: string }
  /** Options of webhook delivery. */
  webhookRules: { firstAttempt: string; failuresMax: number; errorDays: number }
  /** Without a trailing slash. */
  baseUrl: string
  appUrl: string
  /** The host, without scheme, that names the evidence log. It is stored in each genesis. */
  evidenceOrigin: string
  /** Number of own proxies in front of the gateway, whose `X-Forwarded-For` is trusted. */
  trustedProxyHops: number
  /** Comma-separated origins of browsers that may call; `*` for any. */
  corsOrigins: string
}

/** The folder of a function's code and assets in Lambda. */
const TASK_ROOT = '/var/task'

/** The value of each environment variable. Product code reads no other variables. */
export const valuesOf = (platform: Platform): Record<string, string> => ({
  TABLE_NAME: platform.table.name,
  KEYS_TABLE_NAME: platform.keysTable.name,
  SEAL_KEY_ID: platform.sealKeyArn,
  SIGN_KEY_ID: platform.signKeyArn,
  FORMER_SIGN_KEY_IDS: platform.formerSignKeyArns.join(','),
  SECRET_ID: platform.secretArn,
  EVIDENCE_SECRET_ID: platform.evidenceSecretArn,
  PROVIDERS_SECRET_ID: platform.providersSecretArn,
  BUS_NAME: platform.bus.name,
  QUEUE_BASE: platform.queueBase,
  COGNITO_POOL_ID: platform.pool.id,
  COGNITO_CLIENT_ID: platform.pool.clientId,
  COGNITO_ISSUER: platform.pool.issuer,
  MAIL_FROM: platform.mail.from,
  DNS_SERVERS: platform.dnsServers,
  SEALING_ROLES: platform.roles,
  OAUTH_KEY_IDS: platform.oauthKeyArns.join(','),
  EGRESS_ADDRESSES: platform.network?.addresses.join(',') ?? '',
  WEBAUTHN_RP_ID: platform.passkeys.relyingParty,
  WEBAUTHN_ORIGINS: platform.passkeys.origins,
  PASSWORD_RANGE_URL: platform.passwordRangeUrl,
  TRAINING_IMAGE: platform.training.image,
  TRAINING_ROLE_ARN: platform.training.roleArn,
  TRAINING_INSTANCE: platform.training.instance,
  BEDROCK_ROLE_ARN: platform.training.bedrockRoleArn,
  TRAINING_PRICES: platform.training.prices,
  WEBHOOK_FIRST_ATTEMPT: platform.webhookRules.firstAttempt,
  WEBHOOK_FAILURES_MAX: String(platform.webhookRules.failuresMax),
  WEBHOOK_ERROR_DAYS: String(platform.webhookRules.errorDays),
  EVIDENCE_BUCKET: platform.buckets.evidence.name,
  FILES_BUCKET: platform.buckets.files.name,
  BASE_URL: platform.baseUrl,
  APP_URL: platform.appUrl,
  CORS_ORIGINS: platform.corsOrigins,
  TRUSTED_PROXY_HOPS: String(platform.trustedProxyHops),
  REGION: platform.region,
  DEPLOYMENT: platform.prefix,
  EVIDENCE_ORIGIN: platform.evidenceOrigin,
  OPENAPI_FILE: `${TASK_ROOT}/openapi.json`,
  DOCS_FILE: `${TASK_ROOT}/docs.json`,
  VERIFIER_FILE: `${TASK_ROOT}/verify.mjs`,
  FORMAT_FILE: `${TASK_ROOT}/FORMAT.md`,
  COUNTRIES_FILE: `${TASK_ROOT}/countries.mmdb`,
  FONT_FILE: `${TASK_ROOT}/DejaVuSans.ttf`,
  BOLD_FONT_FILE: `${TASK_ROOT}/DejaVuSans-Bold.ttf`,
})

const NAME_LENGTH_MAX = 64

/**
 * `<prefix>-<area>-<operation>`. Gateway and state machine use names instead of references, so that stacks have no cycles.
 * Throws when the name is too long for Lambda.
 */
export function functionName(prefix: string, row: { id: string }): string {
  const name = `${prefix}-${row.id}`
  if (name.length > NAME_LENGTH_MAX)
    throw new Error(`function name ${name} is longer than ${NAME_LENGTH_MAX} characters`)
  return name
}
