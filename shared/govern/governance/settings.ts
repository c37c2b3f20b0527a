// The tenant's governance settings. A change makes a new policy set version, so a decision names the settings it used. Most
// tenants use the defaults, so the schema is built only when needed.
import * as z from 'zod'
import { APPROVAL_SECONDS } from '../../base/limits/published.ts'

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
    unknown_tier: z.enum(['HARD', 'SOFT']),
    allow_self_approval: z.boolean(),
    /** Whether only people in a session decide. Null: in live mode, and on kinds that deserve a person (approvals/rules.ts). */
    require_human_approver: z.boolean().nullable(),
    approval_ttl_s: z.int().min(60).max(604_800),
    /** Trust below this value raises one tier. */
    trust_floor: z.int().min(0).max(100),
    /** Actions with an amount above this value are held; null: no cap. In the unit of the payload. */
    amount_cap: z.number().min(0).nullable(),
    bulk_limit: z.int().min(1).max(100_000),
    max_open_approvals: z.int().min(1).max(10_000),
    /** For so long (s), a request that people rejected is refused again without asking them. 0: people are asked each time. */
    refusal_holds_s: z.int().min(0).max(86_400),
    /** Whether an equal request of the same caller that still waits answers a request, so that nobody is asked twice. */
    answer_repeats: z.boolean(),
    pii_mode: z.enum(PII_MODES),
    /** A model's probability of approval below this value raises one tier. */
    raise_below: z.number().min(0).max(1),
    /** The tenant's domains besides the verified ones. Recipients in them are not external. */
    domains: z.array(domain()).max(200),
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
