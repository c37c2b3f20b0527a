// The hourly step that removes payloads whose time is over. It reads the list of executions from the oldest on, once. How long
// payloads are kept is stated in the chain first, and nothing is removed but by a statement that the chain proves.
import { DAY_MS, HOUR_MS, iso } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import type { OnErased } from '../../base/ports/effects.ts'
import type { Stored } from '../../base/table/entity.ts'
import {
  daysInEffect,
  type Retention,
  retentionDays,
  retentions,
  type RetentionStatement,
} from '../../base/tenant/retention.ts'
import { RETENTION_DAYS_MIN, type Tenant, tenants } from '../../base/tenant/tenant.ts'
import { executions } from '../../govern/executions/execution.ts'
import { freshPass } from '../../ledger/evidence/verify/results.ts'
import { makesPayloads } from '../exports/export.ts'
import { GRACE_MS, lastPlace, nextPage, nextStatement } from './next-page.ts'
import { removePast } from './remove-past.ts'
import { alarm } from '../../base/lib/log.ts'
import { changed } from '../../ledger/audit/changed.ts'
import { newMail } from '../../ledger/events/mail.ts'
import { chainName } from '../../ledger/evidence/artifact/hashes.ts'
import type { LastFull } from '../../ledger/evidence/verify/verify-state.ts'
import { readSequenced } from '../../ledger/evidence/chain/read-sequenced.ts'

const PER_SHARD = 12
/** Together 3,840 executions an hour. */
const PAGES_MAX = 40
const WAITING_MAX = 200

const read = ({ table, space }: Context) =>
  Promise.all([table.get(tenants, { id: space.tenant_id }), table.get(retentions, space)])

/** The grace of the first statement ends before the first payload is past its time, also if the step runs late. */
const FIRST_STATED_MS = (RETENTION_DAYS_MIN - 2) * DAY_MS - GRACE_MS

/** Two items an hour. In the first months of a tenant there is nothing to state. */
export async function hasRetention(ctx: Context): Promise<boolean> {
  const [tenant, was] = await read(ctx)
  if (!tenant) return false
  if (!was) return ctx.now() >= Date.parse(tenant.created_at) + FIRST_STATED_MS
  return was.days !== retentionDays(tenant) || was.next_at <= iso(ctx.now())
}

/**
 * States the days in the chain when they change, and removes payloads by the last proven statement. Without such a proof, or with a
 * chain that no recent pass found whole, nothing is removed. May be repeated, and may die at any point. `erased` removes the data
 * of other layers.
 */
export async function keepRetention(ctx: Context, erased: OnErased): Promise<void> {
  const [tenant, was] = await read(ctx)
  if (!tenant) return
  const pass = await freshPass(ctx)
  const stated = was && (await provenStatement(ctx, was, pass))
  if (!was || !stated || stated.days !== retentionDays(tenant)) return state(ctx, tenant, { was, stated })
  if (pass?.result !== 'valid' || (await makesPayloads(ctx)))
    return void (await moved(ctx, was, { next_at: iso(ctx.now() + HOUR_MS) }))
  await removeAll(ctx, was, daysInEffect(stated, ctx.now()), erased)
}

async function removeAll(ctx: Context, was: Stored<Retention>, days: number, erased: OnErased): Promise<void> {
  let at = await lookAgain(ctx, was, days, erased)
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const next = await nextPage(ctx, at, { days, perShard: PER_SHARD })
    if (!next) return void (await moved(ctx, at, { ...lastPlace(ctx, at, days), next_at: nextLook(ctx, at) }))
    const waiting = [...at.waiting, ...(await removePast(ctx, next.found, days, erased))]
    if (waiting.length > WAITING_MAX) return void (await moved(ctx, at, { next_at: iso(ctx.now() + HOUR_MS) }))
    at = await moved(ctx, at, { month: next.month, after: next.after, waiting })
  }
}

/** Those that were read too early and whose time may have come. */
async function lookAgain(ctx: Context, was: Stored<Retention>, days: number, erased: OnErased) {
  const now = iso(ctx.now())
  const due = was.waiting.filter(({ at }) => at <= now)
  if (due.length === 0) return was
  const found = await ctx.table.getAll(
    executions,
    due.map(({ id }) => ({ ...ctx.space, id })),
  )
  const still = await removePast(ctx, found, days, erased)
  return moved(ctx, was, { waiting: [...was.waiting.filter(({ at }) => at > now), ...still] })
}

/** A day later, or when the first of those that wait may be removed. */
const nextLook = (ctx: Context, { waiting }: Retention): string =>
  [...waiting.map(({ at }) => at), iso(ctx.now() + DAY_MS)].toSorted()[0] ?? ''

async function moved(ctx: Context, was: Stored<Retention>, change: Partial<Retention>): Promise<Stored<Retention>> {
  const next = { ...was, ...change }
  await ctx.table.commit([retentions.replace(next, was)])
  return { ...next, _v: was._v + 1 }
}

const ARTIFACT = 'evidence.retention.changed'

/**
 * The statement of the table, if the chain proves it; undefined if the chain differs from the table, or if a later statement
 * exists. `pass`: the full pass that names the last statement.
 */
async function provenStatement(
  ctx: Context,
  was: Retention,
  pass: LastFull | undefined,
): Promise<RetentionStatement | undefined> {
  const header = await readSequenced(ctx, was.artifact_id)
  const isIts = header?.type === ARTIFACT && header.chain === chainName(ctx.space)
  const { days, grace_days, grace_until } = (isIts && header.data) || {}
  const isFollowed = pass?.retention !== undefined && was.artifact_id < pass.retention // ids are in the order of time
  if (days !== was.days || isFollowed) {
    alarm('retention_without_evidence', 'the table states a retention that the chain does not', { days: was.days })
    return undefined
  }
  const hasGrace = typeof grace_days === 'number' && typeof grace_until === 'string'
  return { days: was.days, ...(hasGrace && { grace: { days: grace_days, until: grace_until } }) }
}

type Before = { was: Stored<Retention> | undefined; stated: RetentionStatement | undefined }

/** `stated`: the proven statement of `was`. The removal continues an hour later at the earliest, by the new statement. */
async function state(ctx: Context, tenant: Tenant, { was, stated }: Before): Promise<void> {
  const now = ctx.now()
  const next = nextStatement(stated, retentionDays(tenant), now)
  const { days, grace } = next
  const artifact_id = ctx.id('art')
  const begin = { month: tenant.created_at.slice(0, 7), after: [] }
  const { month, after, waiting } = was ?? { ...begin, waiting: [] }
  const item: Retention = { ...ctx.space, ...next, artifact_id, month, after, waiting, next_at: iso(now) }
  const writes = changed(
    ctx,
    [
      {
        action: 'retention.changed',
        artifact: ARTIFACT,
        artifact_id,
        subject: { type: 'tenant', id: tenant.id, name: tenant.name },
        data: { days, ...(grace && { grace_days: grace.days, grace_until: grace.until }) },
        changes: [{ path: 'evidence_retention_days', ...(was && { before: was.days }), after: days }],
      },
    ],
    { mails: mailsFor(ctx, tenant, { was: stated, next }) },
  )
  await ctx.table.commit([was ? retentions.replace(item, was) : retentions.insert(item), ...writes])
}

type Step = { was: RetentionStatement | undefined; next: RetentionStatement }

/** Once for both modes. The first statement of a tenant that has nothing so old takes nothing away. */
function mailsFor(ctx: Context, { created_at }: Tenant, { was, next: { days, grace } }: Step) {
  const isNew = grace !== undefined && grace.until !== was?.grace?.until
  const takesNothing = !was && grace !== undefined && Date.parse(created_at) + days * DAY_MS >= Date.parse(grace.until)
  if (!isNew || takesNothing || ctx.space.mode !== 'live') return []
  return [newMail(ctx, 'retention_shortened', { roles: ['owner'] }, { days: String(days), until: grace.until })]
}
