// What whoever deploys may choose, given as CDK context (`-c name=value` or cdk.json). Everything has a default.
import * as z from 'zod'

const FUNCTION_NAME_MAX = 64
const OPERATION_ID_MAX = 40

/** A switch, written as a boolean in cdk.json or as a word on the command line. */
const flag = z.union([z.boolean(), z.stringbool()])

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
    /** Gets a mail from every alarm, once its subscription is confirmed. */
    alarmEmail: z.email().optional(),
    /** Address reputation and a flood limit before both hosts. */
    waf: flag.default(true),
    /** Comma-separated origins whose pages may call the API; default: the application host. */
    corsOrigins: z.string().optional(),
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
