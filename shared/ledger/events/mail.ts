// Messages that are sent after a commit: mails to people, and logouts to OAuth clients. A mail holds its kind, recipient and
// facts, never its text or a link. The worker that sends it creates both, so no token is stored in a queue, an event or a log.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'

export const MAIL_KINDS = [
  'verify_email',
  'password_reset',
  'invitation',
  'password_changed',
  'mfa_changed',
  'new_sign_in',
  'email_changed',
  'api_key_expiring',
  'credential_transferred',
  'security_alert',
  'domain_lapsed',
  'application_disconnected',
  'access_changed',
  'policy_frozen',
  'policy_unfrozen',
  'delegation_created',
  'delegation_ended',
  'kms_unavailable',
  'retention_shortened',
  'payment_failed',
  'connection_lost',
  'webhook_failing',
  'webhook_disabled',
  'webhook_paused',
  'webhook_recovered',
  'task_assigned',
  'sla_missed',
  'alert_firing',
  'alert_resolved',
] as const
export type MailKind = (typeof MAIL_KINDS)[number]

/** A person, an address without an account, or all active holders of the roles together with people who are named. */
const Recipient = z.union([
  z.object({ user_id: z.string() }),
  z.object({ email: z.string(), tenant_id: z.string().optional() }),
  z.object({ roles: z.array(z.string()), user_ids: z.array(z.string()).optional() }),
])

export const Mail = z.object({
  id: z.string(),
  kind: z.enum(MAIL_KINDS),
  /** Absent when only an address is known, which may have accounts in several tenants or none. */
  tenant_id: z.string().optional(),
  to: Recipient,
  facts: z.record(z.string(), z.string()),
})
export type Mail = z.output<typeof Mail>

/** `facts` fill the template of the kind, which escapes text written by people. */
export const newMail = (ctx: Context, kind: MailKind, to: Mail['to'], facts: Mail['facts'] = {}): Mail => ({
  id: ctx.id('mail'),
  kind,
  ...(ctx.space.tenant_id !== 'none' && { tenant_id: ctx.space.tenant_id }),
  to,
  facts,
})

/**
 * A logout to send to an OAuth client (OpenID Connect Back-Channel Logout 1.0): which person, and which of the sessions. The
 * worker that sends it reads the address of the client and creates the token, so neither waits in a queue.
 */
export const Logout = z.object({
  id: z.string(),
  tenant_id: z.string(),
  user_id: z.string(),
  client_id: z.string(),
  /** The sessions of the client that have ended: `sid` of its ID tokens. Without it: all of the person. */
  sids: z.array(z.string()).min(1).optional(),
})
export type Logout = z.output<typeof Logout>
