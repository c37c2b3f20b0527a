// The options of a deployment, given as CDK context (`-c name=value` or cdk.json). Every option has a default.
import { isIP } from 'node:net'
import * as z from 'zod'

const FUNCTION_NAME_MAX = 64
const OPERATION_ID_MAX = 40
/** One sender in the form of RFC 5322. */
const SENDER = /^([^<>"\r\n]+ <[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/

const KEY_ARN = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/

const ROLE_ARN = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/
const PRICES = /^(embedded|sagemaker|bedrock)=\d+(\.\d+)?(,(embedded|sagemaker|bedrock)=\d+(\.\d+)?)*$/

/** A boolean in cdk.json, or a word on the command line. */
const flag = z.union([z.boolean(), z.stringbool()])

const areAddresses = (list: string) => list.split(',').every((address) => isIP(address) !== 0)

const Options = z
  .strictObject({
    /** Name of the stack and first part of every function's name. */
    prefix: z
      .string()
      .regex(/^[a-z][a-z0-9-]*$/, 'must be lower case letters, digits and hyphens')
      .max(FUNCTION_NAME_MAX - OPERATION_ID_MAX - 1)
      .default('countersign'),
    /** Custom host names. Both need `certificateArn`, a certificate in the stack's region that covers them. */
    apiDomain: z.string().optional(),
    appDomain: z.string().optional(),
    certificateArn: z.string().optional(),
    /** Number of warm containers for executing and for approving, each. */
    provisionedConcurrency: z.coerce.number().int().min(1).optional(),
    /**
     * The account's quota of concurrent Lambda executions. Functions that wait for others get reservations from it, so that
     * they cannot use all of it. Default: no reservations, because AWS refuses them in new accounts with a small quota.
     */
    accountConcurrency: z.coerce.number().int().min(1).optional(),
    /** Key of log groups: `own` creates one; an ARN names one that CloudWatch Logs may use. Default: a key of CloudWatch. */
    logKey: z.union([z.literal('own'), z.string().regex(KEY_ARN, 'must be own or the ARN of a key')]).optional(),
    /** Receives a mail for every alarm after confirming the subscription. */
    alarmEmail: z.email().optional(),
    /** Sender of mails, `a@b` or `Name <a@b>`: its address or domain is a verified SES identity. Default: no mails. */
    mailFrom: z.string().regex(SENDER, 'must be an address, or a name and an address in angle brackets').optional(),
    /** Name servers, comma-separated. All of them must return the record of a domain before it is verified. */
    dnsServers: z.string().refine(areAddresses, 'must be IP addresses').default('1.1.1.1,8.8.8.8'),
    /**
     * A list of leaked passwords, asked as `<url><first five hex digits of the SHA-1>` (the range protocol of Pwned
     * Passwords). Default: none is asked.
     */
    webauthnRpId: z.hostname().optional(),
    webauthnOrigins: z.string().optional(),
    passwordRangeUrl: z.url({ protocol: /^https$/ }).optional(),
    /** The image that SageMaker trains language models with, and the role that it trains under. Both or none. */
    trainingImage: z.string().max(255).optional(),
    trainingRole: z.string().regex(ROLE_ARN, 'must be the ARN of a role').optional(),
    trainingInstance: z
      .string()
      .regex(/^ml\.[a-z0-9]+\.[a-z0-9]+$/)
      .default('ml.g5.2xlarge'),
    /** The role under which Bedrock reads datasets and writes what it reports. */
    bedrockRole: z.string().regex(ROLE_ARN, 'must be the ARN of a role').optional(),
    /** USD for a second, as `<trainer>=<price>`, comma-separated. Default: costs are not estimated. */
    trainingPrices: z.string().regex(PRICES, 'must be <trainer>=<USD>, comma-separated').optional(),
    /** CloudFront in front of both hosts, which gives `WWW-Authenticate` its name back. */
    cdn: flag.default(false),
    /** With `cdn` and domains: a certificate in us-east-1 that covers them, instead of `certificateArn`. */
    cdnCertificateArn: z
      .string()
      .regex(/^arn:aws:acm:us-east-1:/, 'must be a certificate in us-east-1')
      .optional(),
    /** A firewall with address reputation and a flood limit in front of both hosts. */
    waf: flag.default(true),
    /** Number of own proxies in front of both hosts, whose entries of `X-Forwarded-For` are trusted. */
    trustedProxyHops: z.coerce.number().int().min(0).max(5).default(0),
    /**
     * What the gateway says to an agent without a token: where this tenant's tools say who gives one, or the same to all. Only
     * for an account whose API Gateway refuses the first.
     */
    mcpChallenge: z.enum(['tenant', 'fixed']).default('tenant'),
    /** Comma-separated origins whose pages may call the API; default: the application host. */
    corsOrigins: z.string().optional(),
    /**
     * Webhooks and targets are called from two fixed addresses. It needs a network with two NAT gateways, which cost money.
     */
    staticEgress: flag.default(false),
    /** `scheduled`: the first attempt of a webhook also waits its minute (the literal reading of the published table). */
    webhookFirstAttempt: z.enum(['immediate', 'scheduled']).default('immediate'),
    /** Exhausted deliveries in a row that put an endpoint into error, and days it stays there before it is disabled. */
    webhookFailuresMax: z.coerce.number().int().min(1).max(100).default(5),
    webhookErrorDays: z.coerce.number().int().min(1).max(30).default(5),
    /** Cognito's feature plan; `plus` adds its threat protection, which the service does not need. */
    cognitoPlan: z.enum(['essentials', 'plus']).default('essentials'),
    /**
     * The keys that sign checkpoints, comma-separated and oldest first: the last one signs. Append one to rotate; never
     * change or remove one.
     */
    evidenceKeys: z
      .string()
      .default('p256')
      .transform((list) => list.split(','))
      .pipe(z.array(z.enum(['p256', 'ed25519'], 'must be p256 or ed25519'))),
    /** `compliance`: not even the account's owner can shorten the retention of signed checkpoints. */
    objectLock: z.enum(['governance', 'compliance']).default('governance'),
  })
  .refine(({ apiDomain, appDomain, certificateArn, cdn }) => cdn || !(apiDomain ?? appDomain) || certificateArn, {
    error: 'a domain needs certificateArn',
  })
  .refine(
    ({ apiDomain, appDomain, cdnCertificateArn, cdn }) => !cdn || !(apiDomain ?? appDomain) || cdnCertificateArn,
    {
      error: 'a domain with cdn needs cdnCertificateArn',
    },
  )

export type Options = z.output<typeof Options>

/** Reads each option by name; throws a sentence that names an invalid one. */
export function readOptions(read: (name: string) => unknown): Options {
  const given = Object.keys(Options.shape).map((name) => [name, read(name)])
  const result = Options.safeParse(Object.fromEntries(given))
  if (!result.success) throw new Error(`context ${z.prettifyError(result.error)}`)
  return result.data
}
