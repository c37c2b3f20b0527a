// What the functions of one deployment are given: names and addresses, never secrets. Inside a stack the values are
// tokens, in tests plain strings; the rules that use them cannot tell the difference.
import type { BucketName, QueueName } from '../shared/base/wire/route.ts'

export type Platform = {
  /** First part of every function's name; two deployments in one account differ in it. */
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
  /** Signed them before, oldest first. */
  formerSignKeyArns: readonly string[]
  secretArn: string
  /** Attests what goes into the chains. */
  evidenceSecretArn: string
  /** Sign OAuth tokens: the first signs, all are published. */
  oauthKeyArns: readonly string[]
  /** The user pool and its one app client. */
  pool: { id: string; arn: string; clientId: string; issuer: string }
  /** Sender of mails, empty when none is configured, and the identities that may be sent from. */
  mail: { from: string; arns: readonly string[] }
  /** Name servers, comma-separated, that must all see the record of a domain. */
  dnsServers: string
  /** ARN pattern of the functions' roles, for the policies of keys that tenants manage themselves. */
  roles: string
  bus: { name: string; arn: string }
  queues: Record<QueueName, { url: string; arn: string; deadLetterName: string }>
  buckets: Record<BucketName, { name: string; arn: string }>
  /** Where functions that call out run, when they leave through addresses of our own. */
  network?: { subnetIds: string[]; securityGroupIds: string[]; addresses: string[] } | undefined
  /** Encrypts log groups; without it CloudWatch does. */
  logKeyArn?: string | undefined
  /** Containers set aside for a function, by its id; it gets no more than these. */
  reservations?: ReadonlyMap<string, number>
  /** Empty: passwords are not looked up. */
  passwordRangeUrl: string
  /** Where passkeys belong: a host, and further origins from which they may be used. Empty: the application host alone. */
  passkeys: { relyingParty: string; origins: string }
  /** Rules of webhook delivery that whoever deploys may choose. */
  webhookRules: { firstAttempt: string; failuresMax: number; errorDays: number }
  /** Without a trailing slash. */
  baseUrl: string
  appUrl: string
  /** Schema-less host that names the evidence log; stored with a tenant's first artifact. */
  evidenceOrigin: string
  /** Proxies of one's own between callers and the gateway, whose `X-Forwarded-For` is believed. */
  trustedProxyHops: number
  /** Comma-separated origins of browsers that may call; `*` for any. */
  corsOrigins: string
}

/** Where Lambda unpacks a function's code, and with it the assets beside it. */
const TASK_ROOT = '/var/task'

/** What each environment variable says. Product code reads these names and no others. */
export const valuesOf = (platform: Platform): Record<string, string> => ({
  TABLE_NAME: platform.table.name,
  KEYS_TABLE_NAME: platform.keysTable.name,
  SEAL_KEY_ID: platform.sealKeyArn,
  SIGN_KEY_ID: platform.signKeyArn,
  FORMER_SIGN_KEY_IDS: platform.formerSignKeyArns.join(','),
  SECRET_ID: platform.secretArn,
  EVIDENCE_SECRET_ID: platform.evidenceSecretArn,
  BUS_NAME: platform.bus.name,
  WEBHOOK_FANOUT_QUEUE_URL: platform.queues['webhook-fanout'].url,
  CHECKPOINTS_QUEUE_URL: platform.queues.checkpoints.url,
  VERIFICATIONS_QUEUE_URL: platform.queues.verifications.url,
  EXPORTS_QUEUE_URL: platform.queues.exports.url,
  MAIL_QUEUE_URL: platform.queues.mail.url,
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
  EVIDENCE_ORIGIN: platform.evidenceOrigin,
  OPENAPI_FILE: `${TASK_ROOT}/openapi.json`,
  REDOC_FILE: `${TASK_ROOT}/redoc.standalone.js`,
  VERIFIER_FILE: `${TASK_ROOT}/verify.mjs`,
  FORMAT_FILE: `${TASK_ROOT}/FORMAT.md`,
  COUNTRIES_FILE: `${TASK_ROOT}/countries.mmdb`,
})

const NAME_LENGTH_MAX = 64

/**
 * `<prefix>-<area>-<operation>`. The gateway and the state machine name functions instead of referring to them, so the
 * stacks have no cycles. Throws where Lambda would refuse the length.
 */
export function functionName(prefix: string, row: { id: string }): string {
  const name = `${prefix}-${row.id}`
  if (name.length > NAME_LENGTH_MAX)
    throw new Error(`function name ${name} is longer than ${NAME_LENGTH_MAX} characters`)
  return name
}
