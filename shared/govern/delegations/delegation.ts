// A delegation: somebody who is away lets another person vote in their name. The artifact of its creation states its terms, so a
// delegation that somebody wrote to the table gives nobody a vote.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { idPattern } from '../../base/lib/ids.ts'
import { conflict, invalid, notFound } from '../../base/lib/failure.ts'
import { bound } from '../../base/table/bound.ts'
import { entity, key, spaceKey, type Stored } from '../../base/table/entity.ts'
import { resourceMembers } from '../../base/table/members.ts'
import { DAY_MS } from '../../base/lib/clock.ts'

const Actor = z.object({
  type: z.enum(['user', 'api_key', 'client', 'agent', 'system']).describe('The kind of caller.'),
  id: z.string().describe('The id, which never changes.'),
})

export const Delegation = z.object({
  ...resourceMembers,
  from_user_id: z.string().describe('The person who is away.'),
  to_user_id: z.string().describe('The person who votes in the name of the other.'),
  from_at: z.string().describe('When it begins.'),
  until: z.string().describe('When it ends by itself.'),
  node_ids: z.array(z.string()).optional().describe('Only for actions of these nodes. Without them: for all.'),
  reason: z.string().optional().describe('The reason, for people.'),
  created_at: z.string().describe('When it was created.'),
  /** Of its creation. */
  artifact_id: z.string(),
  ended_at: z.string().optional().describe('When somebody ended it early.'),
  ended_by: Actor.optional().describe('Who ended it early.'),
  /** Of its end. */
  end_artifact_id: z.string().optional(),
})
export type Delegation = z.output<typeof Delegation>

/** All delegations of a space, newest first where the index is read backwards. */
export const delegationsKey = (space: Space): string => spaceKey(space, 'DELEGATIONS')

/** Those to one person that nobody has ended, by their end. */
export const delegatedKey = (space: Space, to: string): string => spaceKey(space, 'DELEGATED', to)

export const delegations = bound({
  name: 'DELEGATION',
  schema: Delegation,
  free: [],
  key: (of: Space & { from_user_id: string; id: string }) => ({
    pk: spaceKey(of, 'DELEGATION'),
    sk: key(of.from_user_id, of.id),
  }),
  index: (item) => ({
    gsi1pk: delegationsKey(item),
    gsi1sk: item.id,
    ...(item.ended_at === undefined && {
      gsi3pk: delegatedKey(item, item.to_user_id),
      gsi3sk: key(item.until, item.id),
    }),
  }),
})

/** The delegations of one person, read consistently. */
export const delegationsOf = (space: Space, from: string) => ({
  pk: spaceKey(space, 'DELEGATION'),
  prefix: `${key(from)}#`,
})

/** Moves with every new delegation of a person, so that two at once cannot pass the limit together. */
export const delegators = entity({
  name: 'DELEGATOR',
  unbound: 'names what is proven',
  schema: z.object({ ...resourceMembers, last: z.string() }),
  key: (of: Space & { id: string }) => ({ pk: spaceKey(of, 'DELEGATOR', of.id), sk: 'DELEGATOR' }),
})

const DELEGATION_ID = idPattern('dlg')

/** Throws 404 for a delegation that is not in this tenant and mode. */
export async function findDelegation({ table, space }: Context, id: string): Promise<Stored<Delegation>> {
  const range = { pk: delegationsKey(space), index: 'gsi1', from: id, to: id, limit: 1 } as const
  const [found] = DELEGATION_ID.test(id) ? await table.query(delegations, range) : []
  if (!found) throw notFound('delegation')
  return found
}

export const DELEGATION_STATUSES = ['scheduled', 'active', 'ended'] as const
export type DelegationStatus = (typeof DELEGATION_STATUSES)[number]

type Times = Pick<Delegation, 'from_at' | 'until' | 'ended_at'>

/** The state by its own times. Whether its people still may decide is checked elsewhere; see pairOf. */
export function statusAt({ from_at, until, ended_at }: Times, now: string): DelegationStatus {
  if (ended_at !== undefined || now >= until) return 'ended'
  return now < from_at ? 'scheduled' : 'active'
}

/** Without nodes it is for all of them. */
export const covers = ({ node_ids }: Pick<Delegation, 'node_ids'>, node_id: string): boolean =>
  node_ids === undefined || node_ids.includes(node_id)

const PAST_MS = 60_000
const AHEAD_MS = 90 * DAY_MS
const LONGEST_MS = 30 * DAY_MS
/** No delegation lasts longer after it was made. */
export const LATEST_END_MS = AHEAD_MS + LONGEST_MS
const NOT_ENDED_MAX = 10

type Window = { from: number; until: number }

/** Throws 422 for a time that does not begin soon, or lasts too long. Instants in ms. */
export function mustBeWindow({ from, until }: Window, now: number): void {
  if (from < now - PAST_MS) throw invalid(['from_at'], 'must not be in the past')
  if (from > now + AHEAD_MS) throw invalid(['from_at'], 'must be within 90 days')
  if (until <= from || until <= now) throw invalid(['until'], 'must be later than the beginning, and in the future')
  if (until > from + LONGEST_MS) throw invalid(['until'], 'must be within 30 days of the beginning')
}

/** Throws 409 when the person has too many delegations, or one to the same person for a part of the same time. */
export function mustFitBeside(
  next: Pick<Delegation, 'to_user_id' | 'from_at' | 'until'>,
  others: readonly (Times & Pick<Delegation, 'id' | 'to_user_id'>)[],
  now: string,
): void {
  const open = others.filter((other) => statusAt(other, now) !== 'ended')
  if (open.length >= NOT_ENDED_MAX)
    throw conflict(`You have ${NOT_ENDED_MAX} delegations that have not ended, which is the limit. End one first.`)
  const same = open.find(
    ({ to_user_id, from_at, until }) => to_user_id === next.to_user_id && from_at < next.until && next.from_at < until,
  )
  if (same) throw conflict(`You have already delegated to this person for a part of that time (${same.id}).`)
}
