// What is recorded and announced when a freeze is set or lifted.
import type { Context } from '../../base/context.ts'
import type { Write } from '../../base/table/entity.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { newMail } from '../../ledger/events/mail.ts'
import type { FreezeScope } from '../governance/freeze.ts'
import type { Freeze } from './freeze.ts'

export function freezeChange(ctx: Context, freeze: Freeze, what: 'set' | 'lifted'): Write[] {
  const { id, scope, lift_artifact_id } = freeze
  const isSet = what === 'set'
  const reason = (isSet ? freeze.reason : freeze.lift_reason) ?? ''
  const event = {
    type: isSet ? ('policy.frozen' as const) : ('policy.unfrozen' as const),
    subject: { id, version: isSet ? 1 : 2 },
    data: { freeze_id: id, scope: told(scope), reason },
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

/** As events tell it: a member that is not part of the scope is empty. */
const told = ({ tenant, node_ids = [], action_kinds = [], agents = [], principals = [], hosts = [] }: FreezeScope) => ({
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
