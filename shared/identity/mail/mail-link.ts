// One-time links are made when their mail is sent, so that no queue and no log ever holds a token.
import { HOUR_MS } from '../../base/lib/clock.ts'
import { createLink, epochOf, type LinkPurpose } from '../access/link.ts'
import type { Context } from '../../base/context.ts'
import { env } from '../../base/lib/runtime.ts'
import type { User } from '../accounts/user.ts'
import type { MailKind } from '../../ledger/events/mail.ts'

type Kind = { life_ms: number; address: () => string }

const password = () => `${env('APP_URL')}/auth/password`

const KINDS: Record<LinkPurpose, Kind> = {
  verify_email: { life_ms: 24 * HOUR_MS, address: () => `${env('BASE_URL')}/api/v1/auth/verify-email` },
  password_reset: { life_ms: HOUR_MS, address: password },
  invitation: { life_ms: 7 * 24 * HOUR_MS, address: password },
}

const hasLink = (kind: MailKind): kind is LinkPurpose => Object.hasOwn(KINDS, kind)

/** The URL with a new token for this account; undefined for kinds without a link. `back`: where it leads in the end. */
export async function makeLink(
  ctx: Context,
  kind: MailKind,
  user: User | undefined,
  back?: string,
): Promise<string | undefined> {
  if (!hasLink(kind) || !user || user.email === null) return undefined
  const { life_ms, address } = KINDS[kind]
  const { id: user_id, tenant_id, email } = user
  const of = { purpose: kind, tenant_id, user_id, email, epoch: epochOf(user, kind) }
  const token = await createLink(ctx, { ...of, life_ms, ...(back !== undefined && { back }) })
  return `${address()}?token=${token}`
}
