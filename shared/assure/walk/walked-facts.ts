// What the walks have counted, as facts of the window that a check asks for.
import type { CountedFacts, FactAsk } from '../../base/ports/facts.ts'
import { dayOf } from '../../base/lib/days.ts'
import { headKey, heads } from '../../ledger/evidence/chain/chain.ts'
import { readable } from '../../ledger/evidence/artifact/readable.ts'
import { isAudited } from '../../ledger/audit/audited.ts'
import { EXECUTION_CHECKS } from '../checks/rules/executions.ts'
import type { WalkedDay } from './day.ts'
import type { WalkedMonth } from './month.ts'
import { sumOf } from './tally.ts'
import { versionsSince } from './versions.ts'
import { namedIn } from './walk-audit.ts'

type Walked = { days: readonly WalkedDay[]; months: readonly WalkedMonth[] }
type Readers = { [K in keyof Omit<CountedFacts, 'frameworks'>]: (ask: FactAsk) => Promise<CountedFacts[K]> }

export function walkedFacts({ days, months }: Walked): Readers {
  const within = (since: number) => days.filter(({ date }) => date >= dayOf(since))
  return {
    executions: async ({ since }) =>
      Object.fromEntries(
        EXECUTION_CHECKS.map((id) => [id, sumOf(within(since).flatMap(({ tallies }) => tallies[id] ?? []))]),
      ),
    violations: async ({ since }) => ({
      ids: within(since).flatMap(({ violations }) => violations),
      more: within(since).reduce((sum, { violations_more }) => sum + violations_more, 0),
    }),
    audit_actors: async ({ since }) =>
      sumOf(
        months.flatMap(({ actors }) =>
          Object.entries(actors).flatMap(([date, tally]) => (date >= dayOf(since) ? [tally] : [])),
        ),
      ),
    audit_entries: (ask) => auditEntriesOf(ask, months),
    versions: ({ ctx, since }) => versionsSince(ctx, since),
  }
}

/** The head is read first: an artifact is in the chain only after the transaction that wrote its entry. */
async function auditEntriesOf(
  { ctx }: FactAsk,
  months: readonly WalkedMonth[],
): Promise<CountedFacts['audit_entries']> {
  const head = await ctx.table.get(readable(heads), headKey(ctx.space))
  const counts = Object.entries(head?.counts ?? {}).filter(([type]) => isAudited(type))
  const named = await Promise.all(months.map((month) => namedIn(ctx, month)))
  return {
    artifacts: counts.reduce((sum, [, count]) => sum + count, 0),
    entries: named.reduce((sum, count) => sum + count, 0),
    lost: months.filter(({ named: now, named_before }) => now < named_before).map(({ month }) => month),
  }
}
