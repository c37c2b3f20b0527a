// Whether the chain proves a delegation. Its giver must have made it in person, with exactly the terms that the table states.
import type { Context } from '../../base/context.ts'
import { canonicalJson } from '../../base/lib/json.ts'
import { alarm } from '../../base/lib/log.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'
import type { Delegation } from './delegation.ts'

/** The terms of a delegation, as the artifact of its creation states them. */
export const termsOf = ({
  from_user_id,
  to_user_id,
  from_at,
  until,
  node_ids = [],
}: Pick<Delegation, 'from_user_id' | 'to_user_id' | 'from_at' | 'until' | 'node_ids'>) => ({
  from_user_id,
  to_user_id,
  from_at,
  until,
  node_ids,
})

/** Whether an artifact says that the giver began exactly this delegation. */
export const proves = ({ type, chain, subject, actor, data }: Partial<Header>, delegation: Delegation): boolean =>
  type === 'delegation.created' &&
  chain === chainName(delegation) &&
  subject?.id === delegation.id &&
  actor?.kind === 'user' &&
  actor.id === delegation.from_user_id &&
  canonicalJson(data ?? null) === canonicalJson(termsOf(delegation))

/** Whether an artifact says that somebody ended it. */
export const ends = ({ type, chain, subject, actor }: Partial<Header>, delegation: Delegation): boolean =>
  type === 'delegation.ended' &&
  chain === chainName(delegation) &&
  subject?.id === delegation.id &&
  actor?.id === delegation.ended_by?.id

/** Whether the chain proves the terms of a delegation, and that its giver made it. */
export async function isProvenDelegation(ctx: Context, delegation: Delegation): Promise<boolean> {
  const header = await readSequenced(ctx, delegation.artifact_id)
  const isIts = header !== undefined && proves(header, delegation)
  if (!isIts)
    alarm('delegation_without_evidence', 'the table states what the chain does not prove', { id: delegation.id })
  return isIts
}
