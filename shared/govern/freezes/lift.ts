// Lifts a freeze, and what is recorded and announced when one is set or lifted.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../base/kernel/retry.ts'
import { freshTenant } from '../../base/tenant/find.ts'
import { mustBeInPerson } from '../../identity/access/assurance.ts'
import { type FreezeScope, readFreezes } from '../governance/freeze.ts'
import { moveFreezes } from '../governance/governance.ts'
import { storedTexts } from '../governance/pii/stored-text.ts'
import { findPointer } from '../governance/settings.ts'
import { findFreeze, type Freeze, freezes } from './freeze.ts'
import type { Write } from '../../base/table/entity.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { newMail } from '../../ledger/events/mail.ts'

export const LiftFreezeBody = z.strictObject({ reason: z.string().min(1).max(500).describe('The reason, for people.') })

/**
 * Afterwards the freeze stops nothing, and actions that waited for it go on. Throws 403 unless a person with a fresh second factor lifts
 * it, 404 for a freeze of another tenant or mode. A repeat, or a second person at the same moment, changes nothing.
 */
export async function liftFreeze(
  ctx: Context,
  id: string,
  given: string,
): Promise<{ freeze: Freeze; repeated: boolean }> {
  await findFreeze(ctx.table, ctx.space, id)
  mustBeInPerson(ctx, await freshTenant(ctx.table, ctx.space.tenant_id))
  const { reason } = await storedTexts(ctx, { reason: given })
  return retryWhenChanged(() => lift(ctx, id, reason))
}

async function lift(ctx: Context, id: string, reason: string) {
  const [was, pointer] = await Promise.all([findFreeze(ctx.table, ctx.space, id), findPointer(ctx.table, ctx.space)])
  if (was.status === 'lifted') return { freeze: was, repeated: true }
  const { kind: type, id: by } = ctx.principal
  const freeze: Freeze = {
    ...was,
    status: 'lifted',
    lifted_by: { type, id: by },
    lifted_at: iso(ctx.now()),
    lift_reason: reason,
    lift_artifact_id: ctx.id('art'),
  }
  const left = readFreezes(pointer).filter((one) => one.id !== id)
  await ctx.table.commit(
    [
      moveFreezes(pointer, left, new ChangedMeanwhile()),
      freezes.replace(freeze, was, new ChangedMeanwhile()),
      ...freezeChange(ctx, freeze, 'lifted'),
    ],
    id,
  )
  return { freeze, repeated: false }
}

/** The audit entry, artifact, event and mail of a freeze that is set or lifted. */
export function freezeChange(ctx: Context, freeze: Freeze, what: 'set' | 'lifted'): Write[] {
  const { id, scope, lift_artifact_id } = freeze
  const isSet = what === 'set'
  const reason = (isSet ? freeze.reason : freeze.lift_reason) ?? ''
  const event = {
    type: isSet ? ('policy.frozen' as const) : ('policy.unfrozen' as const),
    subject: { id, version: isSet ? 1 : 2 },
    data: { freeze_id: id, scope: reportedScope(scope), reason },
  }
  const mail = newMail(
    ctx,
    isSet ? 'policy_frozen' : 'policy_unfrozen',
    { roles: ['owner', 'admin'] },
    {
      by: ctx.principal.email ?? ctx.principal.id,
      freeze: id,
      mode: ctx.space.mode,
      scope: inWords(scope),
      reason,
      at: (isSet ? freeze.set_at : freeze.lifted_at) ?? '',
    },
  )
  return changed(
    ctx,
    [
      {
        action: isSet ? 'policy.frozen' : 'policy.unfrozen',
        artifact: isSet ? 'policy.freeze.set' : 'policy.freeze.lifted',
        ...(lift_artifact_id !== undefined && { artifact_id: lift_artifact_id }),
        subject: { type: 'freeze', id, name: inWords(scope).slice(0, 200) },
        data: { scope: JSON.stringify(scope) },
        reason,
        events: [event],
      },
    ],
    { mails: [mail] },
  )
}

/** The scope as events report it: a member that is not part of the scope is empty. */
const reportedScope = ({
  tenant,
  node_ids = [],
  action_kinds = [],
  agents = [],
  principals = [],
  hosts = [],
}: FreezeScope) => ({
  tenant: tenant === true,
  node_ids,
  action_kinds,
  agents,
  principals,
  hosts,
})

function inWords({ tenant, node_ids, action_kinds, agents, principals, hosts }: FreezeScope): string {
  if (tenant) return 'all actions'
  const of = (what: string, names: readonly string[] | undefined) => names && `${what} ${names.join(', ')}`
  return (
    of('the nodes', node_ids) ??
    of('actions of the kinds', action_kinds) ??
    of('the agents', agents) ??
    of('the callers', principals) ??
    of('the hosts', hosts) ??
    ''
  )
}
