import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'

/**
 * A mail to the owners about a change by which somebody could act as others. `change` is our own text, never the caller's.
 */
export const mailToOwners = (ctx: Context, change: string): Mail =>
  newMail(
    ctx,
    'access_changed',
    { roles: ['owner'] },
    { change, by: ctx.principal.email ?? ctx.principal.id, at: iso(ctx.now()), ip: ctx.request.ip },
  )
