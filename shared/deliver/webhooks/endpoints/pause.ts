// When the access of a person ends, the endpoints whose address they chose are paused: events would go on to a place that nobody who is
// still there has agreed to.
import { changed } from '../../../ledger/audit/changed.ts'
import { type Context, createContext } from '../../../base/context.ts'
import { forbidden } from '../../../base/lib/failure.ts'
import { iso } from '../../../base/lib/clock.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../../base/kernel/retry.ts'
import { MODES } from '../../../base/table/members.ts'
import { mustBeSignedIn } from '../../../identity/access/assurance.ts'
import { administers } from '../../../identity/access/roles.ts'
import type { User } from '../../../identity/accounts/user.ts'
import { type Endpoint, endpoints, endpointsKey } from './endpoint.ts'
import { disabled, statusEvent, statusMail } from './health.ts'
import { withMarkedSecrets } from './sealed-parts.ts'

/** Who answers for where the events go. */
export const responsibleFor = ({ responsible, created_by }: Endpoint): string => responsible ?? created_by.id

const isPaused = ({ status, disabled_reason }: Endpoint) => status === 'disabled' && disabled_reason === 'access_ended'

/** Throws 403 unless an owner or administrator, in a session, resumes an endpoint that was paused. */
export function mustBeAllowedToResume(ctx: Context, endpoint: Endpoint): void {
  if (!isPaused(endpoint)) return
  mustBeSignedIn(ctx)
  if (administers(ctx.principal)) return
  throw forbidden(
    'The person who set the address of this endpoint has no access any more. Ask an owner or admin to enable it.',
  )
}

/**
 * Pauses the endpoints of both modes for which this person is responsible, each with evidence, an event and a mail to the owners. What
 * was disabled before is marked in the same way, so that nobody enables it unknowingly. A repeat pauses none twice, and leaves
 * alone what somebody else has enabled since.
 */
export async function pauseEndpoints(ctx: Context, user: Pick<User, 'id' | 'status'>): Promise<void> {
  for (const mode of MODES) {
    const inside = createContext({ ...ctx, space: { tenant_id: ctx.space.tenant_id, mode } })
    const all = await inside.table.query(endpoints, { pk: endpointsKey(inside.space) })
    for (const { id } of all.filter((one) => responsibleFor(one) === user.id)) await pause(inside, id, user)
  }
}

const pause = (ctx: Context, id: string, user: Pick<User, 'id' | 'status'>): Promise<void> =>
  retryWhenChanged(async () => {
    const was = await ctx.table.get(endpoints, { ...ctx.space, id })
    if (!was || isPaused(was) || responsibleFor(was) !== user.id) return
    const marked = user.status === 'deleted' ? withMarkedSecrets(was, user.id, ctx.now()) : was
    const next: Endpoint = {
      ...disabled(marked, 'access_ended'),
      disabled_reason: 'access_ended',
      updated_at: iso(ctx.now()),
    }
    const writes = changed(
      ctx,
      [
        {
          action: 'webhook_endpoint.paused',
          artifact: 'webhook.endpoint.updated',
          subject: { type: 'webhook_endpoint', id, name: was.name },
          data: { changed_fields: ['status'], status: next.status, reason: 'access_ended', responsible: user.id },
          changes: [{ path: 'status', before: was.status, after: next.status }],
          events: [statusEvent(was, next)],
        },
      ],
      { mails: [statusMail(ctx, next)] },
    )
    await ctx.table.commit([endpoints.replace(next, was, new ChangedMeanwhile()), ...writes])
  })
