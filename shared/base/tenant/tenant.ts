// A tenant with its plan, settings and policies for sessions and second factors, and the item that names its governance in force.
import * as z from 'zod'
import { PLANS } from '../limits/plans.ts'
import { REFRESH_SECONDS } from '../limits/published.ts'
import { entity, key, spaceKey, type Write } from '../table/entity.ts'
import type { Space } from '../context.ts'
import { bound } from '../table/bound.ts'
import { MODES, spaceMembers } from '../table/members.ts'

/** In seconds. A shorter policy applies to live sessions from their next request on. */
export const SessionPolicy = z.object({
  /** Maximum lifetime of a session. */
  lifetime_s: z
    .int()
    .min(3_600)
    .max(2_592_000)
    .default(604_800)
    .describe('Seconds after which a session ends in any case.'),
  /** Sliding lifetime of the refresh token, at most `lifetime_s`. */
  refresh_ttl_s: z
    .int()
    .min(900)
    .max(2_592_000)
    .default(REFRESH_SECONDS)
    .describe('Seconds until a refresh token expires.'),
  /** 0: off. */
  idle_s: z
    .union([z.literal(0), z.int().min(300).max(604_800)])
    .default(0)
    .describe('Seconds without use after which a session ends. 0: no limit.'),
  /** A further sign-in ends the least recently used session. */
  max_concurrent: z.int().min(1).max(100).default(10).describe('The maximum number of sessions of one person.'),
  password_min_length: z
    .int()
    .min(8)
    .max(64)
    .default(12)
    .describe('The minimum length of a new password, in characters.'),
})
export type SessionPolicy = z.output<typeof SessionPolicy>

export const FACTOR_TYPES = ['totp', 'webauthn'] as const

export const MfaPolicy = z.object({
  enforcement: z.enum(['off', 'optional', 'required']).default('optional').describe('Who must have a second factor.'),
  /** Days in which an account without a factor may still sign in. */
  grace_days: z
    .int()
    .min(0)
    .max(30)
    .default(7)
    .describe('The number of days that people have to enrol a second factor.'),
  allowed_methods: z
    .array(z.enum(FACTOR_TYPES))
    .default([...FACTOR_TYPES])
    .describe('The kinds of second factors that people may enrol.'),
  /** Accepts a second factor asserted by an identity provider, for people without one in this service. */
  trust_idp_mfa: z
    .boolean()
    .default(true)
    .describe('Whether a second factor at the identity provider counts for people without one here.'),
  /** Accepts it for people with a factor in this service, too. */
  idp_mfa_replaces_enrolled: z
    .boolean()
    .default(false)
    .describe('Whether a second factor at the identity provider replaces those enrolled here.'),
  passkey_sign_in: z
    .boolean()
    .default(true)
    .describe('Whether a passkey alone signs in. Otherwise it is a second factor only.'),
  /** Sensitive changes need a factor verified this recently; 0: off. */
  step_up_minutes: z
    .int()
    .min(0)
    .max(60)
    .default(0)
    .describe('How recently a second factor must have been used before a sensitive change, in minutes.'),
  /** When enforcement became `required`. */
  since: z.string().optional().describe('Since when it is in force.'),
})
export type MfaPolicy = z.output<typeof MfaPolicy>

/** Products whose agents connect by MCP, by the host of the document that describes them. */
const KNOWN_HOSTS = ['claude.ai', 'vscode.dev', 'chatgpt.com', 'opencode.ai']

/** How agents may connect by MCP. `registered`: only clients that the tenant has registered, and keys. */
export const McpSettings = z.object({
  enabled: z.boolean().default(true).describe('Whether agents can connect by MCP at all.'),
  clients: z
    .enum(['registered', 'hosts'])
    .default('hosts')
    .describe(
      '`registered`: only clients that the tenant registered. `hosts`: also clients that a document describes.',
    ),
  /** Hosts of documents of clients; a client of another host cannot connect. */
  hosts: z.array(z.string()).default(KNOWN_HOSTS).describe('Hosts whose documents describe clients that may connect.'),
})
export type McpSettings = z.output<typeof McpSettings>

export const RETENTION_DAYS_MIN = 365
export const RETENTION_DAYS_MAX = 2_555

export const TenantSettings = z.object({
  /** Members of a directory's group have the role for as long as they are members. */
  group_roles: z
    .array(
      z.object({
        group: z.string().describe('Name of the group in the directory.'),
        role: z.string().describe('The role that the group gives.'),
      }),
    )
    .default([])
    .describe('The role that each group of the directory gives.'),
  /** Approvals are decided by people who signed in, not by keys. Null: those of kinds that deserve a person, in live mode. */
  require_human_approver: z
    .boolean()
    .nullable()
    .default(null)
    .describe(
      'Whether only people in a session decide on approvals, and neither API keys nor OAuth clients. Null, the default: they do in live mode, on e-mails, messages to others, deletions, destructive actions, payments, deployments and permissions.',
    ),
  allow_self_approval: z
    .boolean()
    .default(false)
    .describe('Whether people may approve their own requests, unless a policy forbids it.'),
  block_impossible_travel: z
    .boolean()
    .default(false)
    .describe('Whether to refuse a sign-in from a place that cannot be reached since the previous one.'),
  mcp: McpSettings.prefault({}).describe('How agents may connect by MCP.'),
  evidence_retention_days: z
    .int()
    .min(RETENTION_DAYS_MIN)
    .max(RETENTION_DAYS_MAX)
    .nullable()
    .default(null)
    .describe(
      'Days for which payloads are kept. Records, signatures and proofs stay. In settings null means those of the plan.',
    ),
})
export type TenantSettings = z.output<typeof TenantSettings>

export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const

export const TenantLogo = z.object({
  type: z.enum(LOGO_TYPES).describe('The format of the image.'),
  bytes: z.int().describe('Size of the image.'),
  sha256: z.string().describe('SHA-256 of the image, hex.'),
})
export type TenantLogo = z.output<typeof TenantLogo>

const volume = z.int().positive()

/** Volumes of a month that were agreed with a tenant, in place of those of its plan. */
export const AgreedQuotas = z.object({ executions: volume, tokens: volume, storage_bytes: volume }).partial()
export type AgreedQuotas = z.output<typeof AgreedQuotas>

const defaults = <S extends z.ZodType>(schema: S) => schema.prefault({} as z.input<S>)

export const Tenant = z.object({
  id: z.string().describe('Id of the tenant.'),
  name: z.string().describe('A name for people.'),
  /** In effect: the higher of the granted plan and the paid one. */
  plan: z.enum(PLANS).describe('The plan of the tenant.'),
  /** Granted by the operator when the tenant was founded. */
  plan_granted: z.enum(PLANS).default('free'),
  /** The artifact of the founding. It proves a granted plan above free; without it that plan does not count. */
  plan_artifact_id: z.string().optional(),
  /** Granted with the plan, and in effect with it. The same artifact proves them. */
  quotas: AgreedQuotas.optional(),
  status: z.enum(['active', 'suspended', 'closed']).describe('The current state.'),
  /** Enterprise only: the tenant's negotiated limits. */
  rate_limits: z
    .object({ per_minute: z.int().positive(), per_second: z.int().positive(), streams: z.int().positive() })
    .partial()
    .optional(),
  /** The quota of the running period as last counted, which answers report. `blocked`: requests that use it up are refused until then. */
  quota: z
    .object({ until: z.string(), executions_left: z.int().optional(), blocked: z.literal(true).optional() })
    .optional(),
  /** The image that pages for signing in show. */
  logo: TenantLogo.optional(),
  settings: defaults(TenantSettings),
  session_policy: defaults(SessionPolicy),
  mfa_policy: defaults(MfaPolicy),
  /** CIDRs of all allowlist rules; empty: every address is allowed. Each rule is an item of its own. */
  ip_allowlist: z.array(z.string()).default([]),
  created_at: z.string().describe('When it was created.'),
})
export type Tenant = z.output<typeof Tenant>

/** One item per tenant, shared by both modes. */
export const tenants = entity({
  name: 'TENANT',
  unbound: 'open',
  schema: Tenant,
  key: ({ id }: { id: string }) => ({ pk: key('T', id, 'live'), sk: 'TENANT' }),
})

/**
 * Names the policy set, the settings and the freezes in force. Every decision reads it, every change replaces it. A tenant has this item
 * from its founding, so one that is gone is never taken for that of a tenant that changed nothing.
 */
export const governancePointers = bound({
  name: 'GOVERNANCE',
  schema: z.object({
    ...spaceMembers,
    /** `sha256:<hex>` over all enabled policies and the settings; absent: nobody has changed them. */
    policy_set_version: z.string().optional(),
    /** JSON of the governance settings; absent: the defaults. */
    settings: z.string().optional(),
    /** How often the set was changed, and the artifact of the last change; absent: never. */
    set_number: z.int().optional(),
    set_artifact_id: z.string().optional(),
    /** JSON of the freezes in force; absent: none. */
    freezes: z.string().optional(),
    /** How often set or freezes were changed; absent: never. */
    moves: z.int().optional(),
  }),
  free: [],
  key: (of: Space) => ({ pk: spaceKey(of), sk: 'GOVERNANCE' }),
})

/** The settings, as JSON, that a tenant is founded with, and the set that they and no policies make. */
export type FirstSet = { policy_set_version: string; settings: string }

/** Part of the founding, in both modes: nothing is set, or what the artifact of this id states as the first set. */
export const firstPointers = (tenant_id: string, first?: FirstSet & { set_artifact_id: string }): Write[] =>
  MODES.map((mode) =>
    governancePointers.insert({ tenant_id, mode, ...(first && { ...first, set_number: 1, moves: 1 }) }),
  )
