// The logouts that clients are told of when grants of a person end. Each grant is a session of its client: it is given once
// per browser, and its hash is the `sid` of the ID tokens that were issued under it.
import type { Context } from '../../base/context.ts'
import type { Logout } from '../../ledger/events/logout.ts'
import { accountPartition, type Artefact, artefacts } from './artefact.ts'

/** Sessions in one message, so that its tokens can be sent while its worker lives. */
const SESSIONS_MAX = 10

/** Of all live grants of a person, for a commit that ends all of them. */
export async function logoutsOf(ctx: Context, user_id: string): Promise<Logout[]> {
  const grants = await ctx.table.query(artefacts, { pk: accountPartition(user_id), index: 'gsi1', prefix: 'Grant#' })
  return logoutsFor(
    ctx,
    user_id,
    grants.filter(({ exp }) => exp * 1_000 > ctx.now()),
  )
}

type Ended = Pick<Artefact, 'client_id' | 'hash'>

/** Of these grants. Whether a client wants to know is decided when it is told. */
export function logoutsFor(ctx: Context, user_id: string, grants: readonly Ended[]): Logout[] {
  const { tenant_id } = ctx.space
  const byClient = Map.groupBy(grants, ({ client_id = '' }) => client_id)
  return [...byClient].flatMap(([client_id, ended]) =>
    slices(ended.map(({ hash }) => hash)).map((sids) => ({ id: ctx.id('lgo'), tenant_id, user_id, client_id, sids })),
  )
}

const slices = (sids: readonly string[]): string[][] =>
  Array.from({ length: Math.ceil(sids.length / SESSIONS_MAX) }, (_, i) =>
    sids.slice(i * SESSIONS_MAX, (i + 1) * SESSIONS_MAX),
  )
