// What people see of grants, and how they end one.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { notFound } from '../../base/lib/failure.ts'
import type { Stored } from '../../base/table/entity.ts'
import { Overtaken, retryWhenOvertaken } from '../../base/kernel/retry.ts'
import { type HttpResponse, httpResponse, unchanged } from '../../base/wire/call.ts'
import { type ListQuery, paginate } from '../../base/wire/pagination.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { Grant, grantById, grants, grantsKey } from './grant.ts'
import { GRANT_STATUSES, grantStatus } from './grant-rules.ts'

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

/** Ends a grant. Nothing runs under it from then on; what runs already goes on. */
export const revokeGrant = (ctx: Context, id: string): Promise<HttpResponse> =>
  retryWhenOvertaken(async () => {
    const grant = await findGrant(ctx, id)
    if (grant.revoked_at !== undefined) return unchanged(viewOf(grant, ctx.now()))
    const { principal, table } = ctx
    const set = { revoked_at: iso(ctx.now()), revoked_by: { type: principal.kind, id: principal.id } }
    const { node_id, action_id, approval_id, uses } = grant
    await table.commit(
      [
        grants.replace({ ...grant, ...set }, grant, new Overtaken()),
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
