// Credentials and work that people who left still hold. Their access ends with their account, so anything here was left by a crash, or
// written past the service.
import { DAY_MS } from '../base/lib/clock.ts'
import { type ApiKey, apiKeys, keysPartition, statusOf } from '../identity/access/api-key.ts'
import { formerUsersPartition, type User, users, usersPartition } from '../identity/accounts/user.ts'
import { liveSessionsOf } from '../identity/sessions/live-session.ts'
import { type Approval, approvals, statusPartition } from '../govern/approvals/approval.ts'
import { hasEnded } from '../govern/tasks/states.ts'
import { assigneePartition, tasks } from '../govern/tasks/task.ts'
import type { Context } from '../base/context.ts'
import type { FactAsk, FactSources, LeaverFact } from '../base/ports/check-facts.ts'
import { endpoints, endpointsKey } from '../deliver/webhooks/endpoints/endpoint.ts'
import { responsibleFor } from '../deliver/webhooks/endpoints/pause.ts'
import { inParallel } from '../base/lib/in-parallel.ts'
import { wholeRange } from '../base/table/whole.ts'

/** Clean-up may take so long. */
const SETTLED_MS = DAY_MS
/** No session lives longer. */
const RECENT_MS = 30 * DAY_MS

const PEOPLE_MAX = 50_000
const ITEMS_MAX = 20_000
const AT_ONCE = 16

/** Everybody who left in the last month, and people who left before and still hold something. */
async function leavers({ ctx, now }: FactAsk): Promise<LeaverFact[]> {
  const [gone, keys, open, hooks] = await Promise.all([
    leftBefore(ctx, now - SETTLED_MS),
    allKeys(ctx),
    pending(ctx),
    ctx.table.query(endpoints, { pk: endpointsKey(ctx.space) }),
  ])
  const found = await inParallel(AT_ONCE, gone, async (user) => {
    const own = keys.filter(({ created_by, service }) => created_by === user.id && !service)
    const names = new Set([user.id, ...own.map(({ id }) => id)])
    const recent = leftAt(user) > now - RECENT_MS
    const items = [
      ...own.filter((key) => statusOf(key, now) === 'active'),
      ...open.filter(({ requested_by }) => names.has(requested_by.id)),
      ...hooks.filter((hook) => hook.status !== 'disabled' && responsibleFor(hook) === user.id),
      ...(recent ? await openTasks(ctx, user) : []),
    ]
    const sessions = recent ? await liveSessionsOf(ctx, user) : []
    return { recent, id: user.id, holds: [...items.map(({ id }) => id), ...sessions.map(({ sid }) => sid)] }
  })
  return found.filter(({ recent, holds }) => recent || holds.length > 0).map(({ id, holds }) => ({ id, holds }))
}

/** When (ms) their access ended; later changes of the account do not count. */
const leftAt = ({ tokens_valid_after, updated_at }: User): number => Date.parse(tokens_valid_after ?? updated_at)

async function leftBefore({ table, space: { tenant_id } }: Context, at: number): Promise<User[]> {
  const lists = [usersPartition(tenant_id), formerUsersPartition(tenant_id)]
  const all = await Promise.all(lists.map((pk) => wholeRange(table, users, { pk, index: 'gsi1' }, PEOPLE_MAX)))
  const hasLeft = (user: User) => user.status === 'suspended' || user.status === 'deleted'
  return [...new Map(all.flat().map((user) => [user.id, user])).values()].filter(
    (user) => hasLeft(user) && leftAt(user) <= at,
  )
}

/** The keys of both modes: people belong to both. */
const allKeys = ({ table, space }: Context): Promise<ApiKey[]> =>
  wholeRange(table, apiKeys, { pk: keysPartition(space.tenant_id), index: 'gsi1' }, ITEMS_MAX)

async function pending({ table, space }: Context): Promise<Approval[]> {
  const range = { pk: statusPartition(space, 'pending'), index: 'gsi1' } as const
  return (await wholeRange(table, approvals, range, ITEMS_MAX)).filter(({ status }) => status === 'pending')
}

async function openTasks({ table, space }: Context, { id }: User) {
  const found = await table.query(tasks, { pk: assigneePartition(space, id), index: 'gsi3' })
  return found.filter(({ status, assignee }) => !hasEnded(status) && assignee?.id === id)
}

export const peopleFacts = { leavers } satisfies Partial<FactSources>
