// The counts of the walks, as facts of the window that a check asks for, and the versions of policies and manifests that the audit
// log names.
import type { CountedFacts, FactAsk } from '../../base/ports/check-facts.ts'
import { dayOf } from '../../base/lib/days.ts'
import { headKey, heads } from '../../ledger/evidence/chain/chain.ts'
import { readable } from '../../ledger/evidence/artifact/artifact.ts'
import { isAudited } from '../../ledger/audit/audited.ts'
import { EXECUTION_CHECKS } from '../checks/rules/executions.ts'
import { sumOf, type WalkedDay, type WalkedMonth } from './day.ts'
import { namedIn } from './walk-audit.ts'
import type { Context } from '../../base/context.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import { spaceKey } from '../../base/table/entity.ts'
import { policies, policiesOf, policyVersions } from '../../govern/governance/stored-rules.ts'
import { nodeHeads, nodesPartition, nodeVersions, versionsPartition } from '../../govern/manifests/node.ts'
import { auditEntries, type AuditEntry, resourcePartition } from '../../ledger/audit/entry.ts'

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

const AT_ONCE = 10

type Made = { resource: { type: string; id: string }; versions: { version: string | number; before?: number }[] }

/**
 * The versions of policies and manifests since an instant (ms), each with whether the audit log names it. They are read anew each
 * time, because an entry may have been removed meanwhile. `id`: `<resource>@<version>`.
 */
export async function versionsSince(ctx: Context, since: number): Promise<{ id: string; traced: boolean }[]> {
  const made = [...(await policiesSince(ctx, since)), ...(await nodesSince(ctx, since))]
  const found = await inParallel(AT_ONCE, made, async ({ resource, versions }) => {
    const entries = await entriesOf(ctx, resource)
    return versions.map((one) => ({
      id: `${resource.id}@${one.version}`,
      traced: entries.some((entry) => namesVersion(entry, one)),
    }))
  })
  return found.flat()
}

/** An entry of a policy also names the version before. */
function namesVersion({ changes }: AuditEntry, { version, before }: Made['versions'][number]): boolean {
  const change = changes.find(({ path }) => path === 'version')
  return change?.after === version && (before === undefined || change.before === before)
}

async function policiesSince({ table, space }: Context, since: number): Promise<Made[]> {
  const all = await table.query(policies, policiesOf(space))
  return inParallel(AT_ONCE, all.filter(isSince(since)), async ({ policy_id }) => {
    const versions = await table.query(policyVersions, { pk: spaceKey(space, 'POLICYVERSIONS', policy_id) })
    return {
      resource: { type: 'policy', id: policy_id },
      versions: versions
        .filter(isSince(since))
        .map(({ version }) => ({ version, ...(version > 1 && { before: version - 1 }) })),
    }
  })
}

async function nodesSince({ table, space }: Context, since: number): Promise<Made[]> {
  const all = await table.query(nodeHeads, { pk: nodesPartition(space) })
  return inParallel(AT_ONCE, all.filter(isSince(since)), async ({ node_id }) => {
    const versions = await table.query(nodeVersions, { pk: versionsPartition(space, node_id) })
    return {
      resource: { type: 'node', id: node_id },
      versions: versions
        .filter(({ created_at }) => Date.parse(created_at) >= since)
        .map(({ version }) => ({ version })),
    }
  })
}

const isSince =
  (since: number) =>
  ({ updated_at }: { updated_at: string }): boolean =>
    Date.parse(updated_at) >= since

async function entriesOf({ table, space }: Context, resource: Made['resource']): Promise<AuditEntry[]> {
  const pk = resourcePartition(space, resource)
  const found = await table.query(readable(auditEntries), { pk, index: 'gsi2' })
  return found.filter((one) => one !== undefined)
}
