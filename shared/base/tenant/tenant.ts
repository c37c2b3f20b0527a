import * as z from 'zod'
import { PLANS } from '../limits/plans.ts'
import { REFRESH_SECONDS } from '../limits/published.ts'
import { entity, key } from '../table/entity.ts'

/** In seconds. A shorter policy applies to live sessions from their next request on. */
export const SessionPolicy = z.object({
  /** Maximum lifetime of a session. */
  lifetime_s: z.int().min(3_600).max(2_592_000).default(604_800),
  /** Sliding lifetime of the refresh token, at most `lifetime_s`. */
  refresh_ttl_s: z.int().min(900).max(2_592_000).default(REFRESH_SECONDS),
  /** 0: off. */
  idle_s: z.union([z.literal(0), z.int().min(300).max(604_800)]).default(0),
  /** A further sign-in ends the least recently used session. */
  max_concurrent: z.int().min(1).max(100).default(10),
  password_min_length: z.int().min(8).max(64).default(12),
})
export type SessionPolicy = z.output<typeof SessionPolicy>

export const FACTOR_TYPES = ['totp', 'webauthn'] as const

export const MfaPolicy = z.object({
  enforcement: z.enum(['off', 'optional', 'required']).default('optional'),
  /** Days in which an account without a factor may still sign in. */
  grace_days: z.int().min(0).max(30).default(7),
  allowed_methods: z.array(z.enum(FACTOR_TYPES)).default([...FACTOR_TYPES]),
  /** Accepts a second factor asserted by an identity provider, for people without one in this service. */
  trust_idp_mfa: z.boolean().default(true),
  /** Accepts it for people with a factor in this service, too. */
  idp_mfa_replaces_enrolled: z.boolean().default(false),
  /** A passkey alone signs in; otherwise it is a second factor only. */
  passkey_sign_in: z.boolean().default(true),
  /** Sensitive changes need a factor verified this recently; 0: off. */
  step_up_minutes: z.int().min(0).max(60).default(0),
  /** When enforcement became `required`. */
  since: z.string().optional(),
})
export type MfaPolicy = z.output<typeof MfaPolicy>

/** Products whose agents connect by MCP, by the host of the document that describes them. */
const KNOWN_HOSTS = ['claude.ai', 'vscode.dev', 'chatgpt.com', 'opencode.ai']

/** How agents may connect by MCP. `registered`: only clients that the tenant has registered, and keys. */
export const McpSettings = z.object({
  enabled: z.boolean().default(true),
  clients: z.enum(['registered', 'hosts']).default('hosts'),
  /** Hosts of documents of clients; a client of another host cannot connect. */
  hosts: z.array(z.string()).default(KNOWN_HOSTS),
})
export type McpSettings = z.output<typeof McpSettings>

export const RETENTION_DAYS_MIN = 365
export const RETENTION_DAYS_MAX = 2_555

export const TenantSettings = z.object({
  /** Members of a directory's group have the role for as long as they are members. */
  group_roles: z.array(z.object({ group: z.string(), role: z.string() })).default([]),
  /** Approvals are decided by people who signed in, not by keys. Null: those of kinds that deserve a person, in live mode. */
  require_human_approver: z.boolean().nullable().default(null),
  allow_self_approval: z.boolean().default(false),
  block_impossible_travel: z.boolean().default(false),
  mcp: McpSettings.prefault({}),
  /** Days for which payloads are kept, where the plan leaves the choice. Null: those of the plan. */
  evidence_retention_days: z.int().min(RETENTION_DAYS_MIN).max(RETENTION_DAYS_MAX).nullable().default(null),
})
export type TenantSettings = z.output<typeof TenantSettings>

export const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'] as const

export const TenantLogo = z.object({
  type: z.enum(LOGO_TYPES),
  bytes: z.int(),
  sha256: z.string(),
})
export type TenantLogo = z.output<typeof TenantLogo>

const volume = z.int().positive()

/** Volumes of a month that were agreed with a tenant, in place of those of its plan. */
export const AgreedQuotas = z.object({ executions: volume, tokens: volume, storage_bytes: volume }).partial()
export type AgreedQuotas = z.output<typeof AgreedQuotas>

const defaults = <S extends z.ZodType>(schema: S) => schema.prefault({} as z.input<S>)

export const Tenant = z.object({
  id: z.string(),
  name: z.string(),
  /** In effect: the higher of what was granted and what is paid for. */
  plan: z.enum(PLANS),
  /** By the operator, when the tenant was founded. */
  plan_granted: z.enum(PLANS).default('free'),
  /** Of the founding. It proves a grant above free; without it none counts. */
  plan_artifact_id: z.string().optional(),
  /** Granted with the plan, and in effect with it. The same artifact proves them. */
  quotas: AgreedQuotas.optional(),
  status: z.enum(['active', 'suspended', 'closed']),
  /** Enterprise only: the tenant's negotiated limits. */
  rate_limits: z
    .object({ per_minute: z.int().positive(), per_second: z.int().positive(), streams: z.int().positive() })
    .partial()
    .optional(),
  /** What requests are told about the quota of the running period, as last counted. `blocked`: those that use it up wait. */
  quota: z
    .object({ until: z.string(), executions_left: z.int().optional(), blocked: z.literal(true).optional() })
    .optional(),
  /** Of the image that pages for signing in show. */
  logo: TenantLogo.optional(),
  settings: defaults(TenantSettings),
  session_policy: defaults(SessionPolicy),
  mfa_policy: defaults(MfaPolicy),
  /** CIDRs of all allowlist rules; empty: every address is allowed. Each rule is an item of its own. */
  ip_allowlist: z.array(z.string()).default([]),
  created_at: z.string(),
})
export type Tenant = z.output<typeof Tenant>

/** One item per tenant, shared by both modes. */
export const tenants = entity({
  name: 'TENANT',
  schema: Tenant,
  key: ({ id }: { id: string }) => ({ pk: key('T', id, 'live'), sk: 'TENANT' }),
})
