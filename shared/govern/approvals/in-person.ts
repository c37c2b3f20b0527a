// Where a vote is taken, and where earlier ones are counted again: whether a person decides. Kind and node of the action
// stand in the table, where somebody could have changed them, so before a key or a client decides, the chain is asked, too.
import type { Permission } from '../../base/catalog/permissions.ts'
import { actsDirectly, type Context } from '../../base/context.ts'
import { type Failure, forbidden } from '../../base/lib/failure.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { mustBeInPerson } from '../../identity/access/recent-factor.ts'
import type { Execution } from '../executions/execution.ts'
import type { Approval, Vote } from './approval.ts'
import { approvalLink } from './approval-link.ts'
import { type ApprovalSettings, type Ballot, FOR_PEOPLE, isSelf, personDecides, type Voter } from './rules.ts'

type Asked = { held: Approval; execution: Execution; settings: ApprovalSettings }

/** Throws 403 for a key or a client where a person decides. A requester may always withdraw. */
export async function mustBePerson(
  ctx: Context,
  voter: Voter,
  { decision, ...asked }: Asked & Pick<Ballot, 'decision'>,
): Promise<void> {
  if (actsDirectly(voter) || (decision === 'reject' && isSelf(asked.held, voter))) return
  if (await isForPeople(ctx, asked)) throw signInToVote(ctx, asked.held)
}

/**
 * For a change of what governs. Throws 403 for keys and OAuth tokens, for persons without the right or without a fresh second
 * factor.
 */
export async function mustChangeInPerson(ctx: Context, needed: Permission = 'policies:write'): Promise<void> {
  mustBeInPerson(ctx, await tenantOf(ctx.table, ctx.space.tenant_id))
  if (ctx.principal.permissions.has(needed)) return
  throw forbidden(`This changes what governs. Only a person with the permission ${needed} can approve it.`, {
    lacks: needed,
  })
}

/** Which earlier votes count by their kind of voter: the setting may have changed since a key voted. */
export async function countsByVoter(ctx: Context, asked: Asked): Promise<(vote: Vote) => boolean> {
  if (asked.held.votes.every(isInPerson)) return () => true
  const forPeople = await isForPeople(ctx, asked)
  return (vote) => !forPeople || isInPerson(vote)
}

export const isInPerson = ({ by }: Vote): boolean => by.type === 'user'

async function isForPeople(ctx: Context, { held, execution, settings }: Asked): Promise<boolean> {
  const { mode } = ctx.space
  if (personDecides({ ...held, mode }, settings)) return true
  if (settings.require_human_approver !== null || mode !== 'live') return false
  const { requestProven } = await import('./proven.ts')
  const { node_id = '', decision } = (await requestProven(ctx, execution)) ?? {}
  return decision === undefined || personDecides({ node_id, kind: decision.kind, mode }, settings)
}

function signInToVote({ space }: Context, { id }: Approval): Failure {
  const approval_url = approvalLink(space.tenant_id, id)
  return forbidden(`${FOR_PEOPLE} You can do both on ${approval_url}`, {
    code: 'person_required',
    members: { approval_url },
  })
}
