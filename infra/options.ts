// What whoever deploys may choose, given as CDK context (`-c name=value` or cdk.json). Everything has a default.
import { isIP } from 'node:net'
import * as z from 'zod'

const FUNCTION_NAME_MAX = 64
const OPERATION_ID_MAX = 40
/** RFC 5322 as far as one sender needs it. */
const SENDER = /^([^<>"\r\n]+ <[^<>\s@]+@[^<>\s@]+>|[^<>\s@]+@[^<>\s@]+)$/

const KEY_ARN = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/

/** A switch, written as a boolean in cdk.json or as a word on the command line. */
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
    /** Own host names; both need `certificateArn`, a certificate of the stack's region that covers them. */
    apiDomain: z.string().optional(),
    appDomain: z.string().optional(),
    certificateArn: z.string().optional(),
    /** Warm containers kept for executing and for approving, each. */
    provisionedConcurrency: z.coerce.number().int().min(1).optional(),
    /**
     * The account's quota of concurrent executions of Lambda. From it functions that wait for others get shares, so that they
     * cannot take all of it. Default: none, since AWS refuses any reservation in a fresh account, whose quota is small.
     */
    accountConcurrency: z.coerce.number().int().min(1).optional(),
    /** Encrypts log groups: `own` makes a key, an ARN names one whose policy lets CloudWatch Logs use it. Default: CloudWatch's. */
    logKey: z.union([z.literal('own'), z.string().regex(KEY_ARN, 'must be own or the ARN of a key')]).optional(),
    /** Gets a mail from every alarm, once its subscription is confirmed. */
    alarmEmail: z.email().optional(),
    /** Sender of mails, `a@b` or `Name <a@b>`: its address or domain is a verified SES identity. Default: no mails. */
    mailFrom: z.string().regex(SENDER, 'must be an address, or a name and an address in angle brackets').optional(),
    /** Name servers, comma-separated, that must all see the record of a domain before it is verified. */
    dnsServers: z.string().refine(areAddresses, 'must be IP addresses').default('1.1.1.1,8.8.8.8'),
    /**
     * A list of leaked passwords, asked as `<url><first five hex digits of the SHA-1>` (the range protocol of Pwned
     * Passwords). Default: none is asked.
     */
    webauthnRpId: z.hostname().optional(),
    webauthnOrigins: z.string().optional(),
    passwordRangeUrl: z.url({ protocol: /^https$/ }).optional(),
    /** Address reputation and a flood limit before both hosts. */
    waf: flag.default(true),
    /** Proxies of one's own in front of both hosts: so many entries of `X-Forwarded-For` are believed. */
    trustedProxyHops: z.coerce.number().int().min(0).max(5).default(0),
    /** Comma-separated origins whose pages may call the API; default: the application host. */
    corsOrigins: z.string().optional(),
    /** Calls of webhooks and targets leave through two addresses of our own (a network with two NAT gateways, which cost). */
    staticEgress: flag.default(false),
    /** `scheduled`: the first attempt of a webhook also waits its minute (the literal reading of the published table). */
    webhookFirstAttempt: z.enum(['immediate', 'scheduled']).default('immediate'),
    /** Exhausted deliveries in a row that put an endpoint into error, and days it stays there before it is disabled. */
    webhookFailuresMax: z.coerce.number().int().min(1).max(100).default(5),
    webhookErrorDays: z.coerce.number().int().min(1).max(30).default(5),
    /** Cognito's feature plan; `plus` adds its own threat protection, which nothing here needs. */
    cognitoPlan: z.enum(['essentials', 'plus']).default('essentials'),
    /**
     * The keys that sign checkpoints, comma-separated and oldest first: the last one signs. Append one to rotate; never change
     * or remove one.
     */
    evidenceKeys: z
      .string()
      .default('p256')
      .transform((list) => list.split(','))
      .pipe(z.array(z.enum(['p256', 'ed25519'], 'must be p256 or ed25519'))),
    /** `compliance`: not even the account's owner can shorten the retention of signed checkpoints. */
    objectLock: z.enum(['governance', 'compliance']).default('governance'),
  })
  .refine(({ apiDomain, appDomain, certificateArn }) => !(apiDomain ?? appDomain) || certificateArn, {
    error: 'a domain needs certificateArn',
  })

export type Options = z.output<typeof Options>

/** Reads each option by its name; throws a sentence that names the wrong one. */
export function readOptions(read: (name: string) => unknown): Options {
  const given = Object.keys(Options.shape).map((name) => [name, read(name)])
  const result = Options.safeParse(Object.fromEntries(given))
  if (!result.success) throw new Error(`context ${z.prettifyError(result.error)}`)
  return result.data
}
