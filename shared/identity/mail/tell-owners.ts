import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { type Mail, newMail } from '../../ledger/events/mail.ts'

/** For every change by which one could pass for others. `change` names what was changed, never in words of whoever did it. */
export const tellOwners = (ctx: Context, change: string): Mail =>
  newMail(
    ctx,
    'access_changed',
    { roles: ['owner'] },
    { change, by: ctx.principal.email ?? ctx.principal.id, at: iso(ctx.now()), ip: ctx.request.ip },
  )
