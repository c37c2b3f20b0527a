// One walk over the audit log since the tenant began. Each entry is counted once, but now and then all are counted anew: a
// count that only grows would not show that somebody removed an entry.
import { HOUR_MS } from '../../base/lib/clock.ts'
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Context } from '../../base/context.ts'
import { firstId } from '../../base/lib/ids.ts'
import { monthsBack } from '../../base/lib/days.ts'
import type { Stored } from '../../base/table/entity.ts'
import { retryChange } from '../../base/kernel/retry.ts'
import { tenantOf } from '../../base/tenant/find.ts'
import { type AuditEntry, auditEntries, auditPartition } from '../../ledger/audit/entry.ts'
import { readable } from '../../ledger/evidence/artifact/artifact.ts'
import { type Budget, LAG_MS } from './walk-day.ts'
import { countedOfDay, EMPTY, type WalkedMonth, walkedMonths, walkPartition } from './day.ts'
import { KnownActors } from './known-actors.ts'

const PAGE = 500
const TRIES = 20
/** How often a log is counted anew: a short one with each daily run, a longer one once a week. */
const ANEW = [
  { upTo: 25_000, afterMs: 20 * HOUR_MS },
  { upTo: Number.POSITIVE_INFINITY, afterMs: 164 * HOUR_MS },
] as const
/** A new value when the rules of counting change. */
const RULES = '1'

const readEntry = readable(auditEntries)
const entries = {
  key: auditEntries.key,
  decode: (attributes: Record<string, AttributeValue>) => ({
    id: attributes.sk?.S ?? '',
    entry: readEntry.decode(attributes),
  }),
}
type Read = { id: string; entry: AuditEntry | undefined }

type Walk = { budget: Budget; actors: KnownActors; isOld: (month: WalkedMonth) => boolean }

/** The months since the tenant began, oldest first; undefined when the budget ended before. */
export async function walkAudit(ctx: Context, budget: Budget): Promise<WalkedMonth[] | undefined> {
  const founded = Date.parse((await tenantOf(ctx.table, ctx.space.tenant_id)).created_at)
  const stored = await ctx.table.query(walkedMonths, { pk: walkPartition(ctx.space), prefix: 'AUDIT#' })
  const total = stored.reduce((sum, { entries: one }) => sum + one, 0)
  const afterMs = ANEW.find(({ upTo }) => total <= upTo)?.afterMs ?? 0
  const isOld = ({ rules, begun_at }: WalkedMonth) => rules !== RULES || ctx.now() - begun_at > afterMs
  const walk = { budget, actors: new KnownActors(ctx), isOld }
  const months: WalkedMonth[] = []
  for (const month of monthsBack(ctx.now(), founded).toReversed()) {
    const was = stored.find((one) => one.month === month)
    const walked = await bringUpToDate(ctx, month, was, walk)
    if (!walked) return undefined
    months.push(walked)
  }
  return months
}

/** Undefined when the budget ended before. */
function bringUpToDate(
  ctx: Context,
  month: string,
  read: Stored<WalkedMonth> | undefined,
  walk: Walk,
): Promise<WalkedMonth | undefined> {
  return retryChange(TRIES, async (attempt) => {
    const was = attempt === 1 ? read : await ctx.table.get(walkedMonths, { ...ctx.space, month })
    const next = structuredClone(was && !walk.isOld(was) ? was : begun(ctx, month, was))
    const isDone = await walkMonth(ctx, next, walk)
    const isSame = was !== undefined && JSON.stringify(was) === JSON.stringify(next)
    if (!isSame) await ctx.table.commit([was ? walkedMonths.replace(next, was) : walkedMonths.insert(next)])
    return isDone ? next : undefined
  })
}

const begun = (ctx: Context, month: string, was: WalkedMonth | undefined): WalkedMonth => ({
  tenant_id: ctx.space.tenant_id,
  mode: ctx.space.mode,
  month,
  rules: RULES,
  begun_at: ctx.now(),
  cursor: '',
  entries: 0,
  named: 0,
  named_before: Math.max(was?.named ?? 0, was?.named_before ?? 0),
  actors: {},
})

/** False when the budget ended before the month did. */
async function walkMonth(ctx: Context, month: WalkedMonth, { budget, actors }: Walk): Promise<boolean> {
  for (;;) {
    if (budget.left === 0) return false
    const page = await readAfter(ctx, month, firstId('aud', ctx.now() - LAG_MS))
    budget.take(page.length)
    await actors.lookUp(page.flatMap(({ entry }) => entry?.actor ?? []))
    for (const read of page) count(month, read, actors)
    month.cursor = page.at(-1)?.id ?? month.cursor
    if (page.length < PAGE) return true
  }
}

const readAfter = ({ table, space }: Context, { month, cursor }: WalkedMonth, to?: string): Promise<Read[]> =>
  table.query(entries, { pk: auditPartition(space, month), after: cursor || undefined, to, limit: PAGE })

/** What breaks its schema names nobody. */
function count(month: WalkedMonth, { id, entry }: Read, actors: KnownActors): void {
  const day = entry?.at.slice(0, 10) ?? `${month.month}-01`
  month.entries += 1
  month.named += namesArtifact({ entry })
  month.actors[day] = countedOfDay(month.actors[day] ?? EMPTY, id, entry !== undefined && actors.has(entry.actor))
}

const namesArtifact = ({ entry }: Pick<Read, 'entry'>): number => (entry?.evidence_artifact_id === undefined ? 0 : 1)

/** How many entries name an artifact, those that are too new for the walk included. */
export async function namedIn(ctx: Context, month: WalkedMonth): Promise<number> {
  let { cursor, named } = month
  for (;;) {
    const page = await readAfter(ctx, { ...month, cursor })
    named += page.reduce((sum, read) => sum + namesArtifact(read), 0)
    cursor = page.at(-1)?.id ?? cursor
    if (page.length < PAGE) return named
  }
}
