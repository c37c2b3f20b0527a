// The tenant's governance settings, and the pointer that holds them and names the policies in force. A change makes a new policy set
// version, so a decision names the settings it used. Most tenants use the defaults, so the schema is built only when needed.
import * as z from 'zod'
import { APPROVAL_SECONDS } from '../../base/limits/published.ts'
import type { Space } from '../../base/context.ts'
import { spaceKey, type Stored } from '../../base/table/entity.ts'
import type { Table } from '../../base/table/table.ts'
import { governancePointers } from '../../base/tenant/tenant.ts'

export const PII_MODES = ['off', 'detect', 'redact', 'block'] as const

/** Letters, digits and hyphens, for engines that know no Unicode properties: everything but the rest of ASCII. */
const LABEL = String.raw`[^\x00-\x2c\x2e\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]`

const domain = () =>
  z
    .string()
    .max(253)
    .regex(/^(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]{0,61}[\p{L}\p{N}])?\.)+[\p{L}\p{N}-]{2,63}$/u)
    .meta({ pattern: String.raw`^(?:${LABEL}{1,63}\.)+${LABEL}{2,63}$` })

export const GovernanceSettings = z.lazy(() =>
  z.strictObject({
    /** The tier of unknown actions. SOFT applies only to those that name an undo action. */
    unknown_tier: z.enum(['HARD', 'SOFT']).describe('The tier of actions whose kind is unknown.'),
    allow_self_approval: z
      .boolean()
      .describe('Whether people may approve their own requests, unless a policy forbids it.'),
    /** Whether only people in a session decide. Null: in live mode, and on kinds that deserve a person (approvals/rules.ts). */
    require_human_approver: z
      .boolean()
      .nullable()
      .describe(
        'Whether only people in a session decide on approvals, and neither API keys nor OAuth clients. Null, the default: they do in live mode, on e-mails, messages to others, deletions, destructive actions, payments, deployments and permissions.',
      ),
    approval_ttl_s: z.int().min(60).max(604_800).describe('Seconds after which an undecided request expires.'),
    /** Trust below this value raises one tier. */
    trust_floor: z.int().min(0).max(100).describe('Trust below this value raises the decision by one tier.'),
    /** Actions with an amount above this value are held; null: no cap. In the unit of the payload. */
    amount_cap: z
      .number()
      .min(0)
      .nullable()
      .describe('Actions with a larger amount, that of a list together, need an approval. Null: no limit.'),
    bulk_limit: z
      .int()
      .min(1)
      .max(100_000)
      .describe('Actions with more items than this in one payload need an approval.'),
    max_open_approvals: z.int().min(1).max(10_000).describe('The maximum number of waiting requests of one caller.'),
    /** For so long (s), a request that people rejected is refused again without asking them. 0: people are asked each time. */
    refusal_holds_s: z
      .int()
      .min(0)
      .max(86_400)
      .describe(
        'For how many seconds a request that people rejected is refused again without asking them. 0: people are asked each time.',
      ),
    answer_repeats: z
      .boolean()
      .describe(
        'Whether a request that equals one of the same caller that still waits is answered by that one, whatever its Idempotency-Key.',
      ),
    pii_mode: z.enum(PII_MODES).describe('What happens to personal data in payloads.'),
    /** A model's probability of approval below this value raises one tier. */
    raise_below: z
      .number()
      .min(0)
      .max(1)
      .describe('A probability of approval below this value raises the decision by one tier.'),
    /** The tenant's domains besides the verified ones. Recipients in them are not external. */
    domains: z
      .array(domain())
      .max(200)
      .describe('Domains of the tenant besides the verified ones. Recipients in them are not external.'),
  }),
)

export type GovernanceSettings = z.infer<typeof GovernanceSettings>

export const DEFAULT_SETTINGS: GovernanceSettings = {
  unknown_tier: 'HARD',
  allow_self_approval: false,
  require_human_approver: null,
  approval_ttl_s: APPROVAL_SECONDS,
  trust_floor: 30,
  amount_cap: null,
  bulk_limit: 50,
  max_open_approvals: 50,
  refusal_holds_s: 600,
  answer_repeats: true,
  pii_mode: 'detect',
  raise_below: 0.2,
  domains: [],
}

/** The item of the policy set in force. Most callers need only this; `governance.ts` also loads the policies. */
export type Pointer = z.output<typeof governancePointers.schema>

/** For reports of the state of the table. Undefined when there is none that the service wrote. */
export const storedPointer = (table: Table, space: Space): Promise<Stored<Pointer> | undefined> =>
  table.get(governancePointers, space)

/** Throws when there is none that the service wrote: nothing is decided then, since nobody knows what is in force. */
export async function findPointer(table: Table, space: Space): Promise<Stored<Pointer>> {
  const pointer = await storedPointer(table, space)
  if (!pointer) throw new Error(`what is in force in ${spaceKey(space)} was removed, or not written by the service`)
  return pointer
}

/** A setting that did not exist yet when the others were stored has its default. */
export const readSettings = ({ settings }: Pick<Pointer, 'settings'>): GovernanceSettings =>
  settings === undefined ? DEFAULT_SETTINGS : GovernanceSettings.parse({ ...DEFAULT_SETTINGS, ...JSON.parse(settings) })
