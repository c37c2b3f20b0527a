// What an approved change of policies or settings writes, in the transaction of its approval: exactly the requested change, to the version
// that it was requested for. If that version has changed since, the vote is answered with a conflict and nothing happens; the request
// waits until it is withdrawn, rejected or expires.
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { conflict } from '../../base/lib/failure.ts'
import type { BuiltInEffect } from '../executions/built-in-effects.ts'
import type { JsonObject } from '../../base/wire/parse-body.ts'
import { mustChangeInPerson } from '../approvals/votes/count.ts'
import { PolicyBody } from '../governance/policy.ts'
import { CalendarBody, calendarChange } from '../policies/calendars.ts'
import { LexiconBody, lexiconChange } from '../policies/lexicon.ts'
import { disabling, policyChange } from '../policies/policy-change.ts'
import { type Asked, looseningMail, payloadOf, type PointerChange } from '../governance/change.ts'
import { tenantChange } from './tenant-change.ts'

export const loosenEffect: BuiltInEffect = {
  /** Throws 403 unless the person of the deciding vote could make the change, 409 when it would be another one by now. */
  run: async (ctx, { execution, payload }) => {
    const { change: kind, name = '', asked } = payload as unknown as Asked // made by the service, and bound by the digest
    await mustChangeInPerson(ctx, kind === 'settings' ? 'tenant:security' : 'policies:write')
    const change = await CHANGES[kind](ctx, asked, name)
    if (!('writes' in change) || canonicalJson(payloadOf(change)) !== canonicalJson(payload))
      throw conflict('What this changes has changed since it was asked for. Reject it, and ask for it again.', {
        code: 'version_conflict',
      })
    const { replaces } = change
    return {
      writes: change.writes({ mails: [looseningMail(ctx, change)], execution_id: execution.id }),
      measures: [],
      ...(replaces !== undefined && { replaces }),
    }
  },
}

type Make = (ctx: Context, asked: JsonObject, name: string) => Promise<PointerChange<object> | object>

/** A change that turns out to be none has no writes. */
const CHANGES: Record<Asked['change'], Make> = {
  policy: (ctx, asked) => policyChange(ctx, PolicyBody.parse(asked)),
  policy_disabled: (ctx, { policy_id }) => disabling(ctx, typeof policy_id === 'string' ? policy_id : ''),
  calendar: (ctx, asked, name) => calendarChange(ctx, name, CalendarBody.parse(asked)),
  lexicon: (ctx, asked) => lexiconChange(ctx, LexiconBody.parse(asked)),
  settings: (ctx, asked) => tenantChange(ctx, asked),
}
