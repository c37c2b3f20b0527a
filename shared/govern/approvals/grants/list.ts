// What people see of grants, and how they end one.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { notFound } from '../../../base/lib/failure.ts'
import { entity, spaceKey, type Stored, type Write } from '../../../base/table/entity.ts'
import { ChangedMeanwhile, retryWhenChanged } from '../../../base/kernel/retry.ts'
import { type HttpResponse, httpResponse, unchanged } from '../../../base/wire/call.ts'
import { type ListQuery, paginate } from '../../../base/wire/pagination.ts'
import { changed } from '../../../ledger/audit/changed.ts'
import { Grant, GRANT_STATUSES, grantById, grants, grantsKey, grantStatus } from './grant.ts'
import { spaceMembers } from '../../../base/table/members.ts'

export const GrantView = Grant.omit({
  tenant_id: true,
  mode: true,
  salt: true,
  artifact_id: true,
  ceiling: true,
  pinned: true,
}).extend({
  status: z.enum(GRANT_STATUSES).describe('The current state.'),
  /** Without the numbers, which are part of the payload. */
  at_most: z.array(z.string()).describe('JSON pointers of the numbers that may be smaller than the approved ones.'),
})
export type GrantView = z.input<typeof GrantView>

const viewOf = (grant: Grant, now: number): GrantView => ({
  ...grant,
  at_most: Object.keys(grant.at_most),
  status: grantStatus(grant, iso(now)),
})

/** Newest first. */
export async function listGrants(ctx: Context, operation: string, query: ListQuery) {
  const page = await paginate(ctx, operation, query, {
    of: grants,
    index: 'gsi1',
    groups: [{ name: 'grants', partitions: [grantsKey(ctx.space)] }],
  })
  return { ...page, items: page.items.map((grant) => viewOf(grant, ctx.now())) }
}

async function findGrant({ table, space }: Context, id: string): Promise<Stored<Grant>> {
  const [found] = await table.query(grants, grantById(space, id))
  if (!found) throw notFound('grant')
  return found
}

/**
 * Ends a grant: no later request runs under it, while an action that has begun goes on. Throws 404 for a grant of another tenant or mode.
 * A repeat changes nothing.
 */
export const revokeGrant = (ctx: Context, id: string): Promise<HttpResponse> =>
  retryWhenChanged(async () => {
    const grant = await findGrant(ctx, id)
    if (grant.revoked_at !== undefined) return unchanged(viewOf(grant, ctx.now()))
    const { principal, table } = ctx
    const set = { revoked_at: iso(ctx.now()), revoked_by: { type: principal.kind, id: principal.id } }
    const { node_id, action_id, approval_id, uses } = grant
    await table.commit(
      [
        grants.replace({ ...grant, ...set }, grant, new ChangedMeanwhile()),
        ...changed(ctx, [
          {
            action: 'grant.revoked',
            artifact: 'approval.grant.revoked',
            subject: { type: 'grant', id },
            of: { node_id, action_id },
            data: { approval_id, uses },
          },
        ]),
      ],
      id,
    )
    return httpResponse(200, viewOf({ ...grant, ...set }, ctx.now()))
  })

/**
 * A use of a grant, an item for each. Somebody who sets the count of a grant back in the table leaves these items behind; if they
 * remove an item, an execution remains whose evidence names the grant.
 */
const GrantUse = z.object({ ...spaceMembers, grant_id: z.string(), request_id: z.string() })
type GrantUse = z.output<typeof GrantUse>

const partition = (of: Space & Pick<GrantUse, 'grant_id'>): string => spaceKey(of, 'GRANTUSE', of.grant_id)

export const grantUses = entity({
  name: 'GRANTUSE',
  unbound: 'bounded',
  schema: GrantUse,
  key: (of: GrantUse) => ({ pk: partition(of), sk: of.request_id }),
})

/** Part of the transaction that runs the action. */
export const grantUsed = ({ space }: Context, grant_id: string, request_id: string): Write =>
  grantUses.insert({ ...space, grant_id, request_id })

/** The requests that ran under each grant, by its id. A policy permits a hundred at most. */
export async function requestsUnder(ctx: Context, grant_ids: readonly string[]): Promise<Map<string, Set<string>>> {
  const ids = [...new Set(grant_ids)]
  const found = await Promise.all(
    ids.map(async (grant_id) => {
      const uses = await ctx.table.keys({ pk: partition({ ...ctx.space, grant_id }) })
      return [grant_id, new Set(uses.map(({ sort }) => sort))] as const
    }),
  )
  return new Map(found)
}
