import type { Context } from '../../base/context.ts'
import { invalid } from '../../base/lib/failure.ts'
import { key } from '../../base/table/entity.ts'
import { operationsKey } from '../definitions/definition.ts'
import { builtInRunbooks } from './built-in-runbooks.ts'
import { type Runbook, RUNBOOK_PREFIX, runbookUses, runbookVersions } from './runbook.ts'

type Reader = Pick<Context, 'table' | 'space'>

/** The newest version of a runbook, built-in ones included. */
export async function latestRunbook({ table, space }: Reader, id: string): Promise<Runbook | undefined> {
  const from = `${key('RBK', id)}#`
  const [newest] = await table.query(runbookVersions, {
    pk: operationsKey(space),
    from,
    to: `${from}~`,
    descending: true,
    limit: 1,
  })
  return newest ?? builtInRunbooks(space).find((runbook) => runbook.id === id)
}

/** One version, built-in ones included. */
export async function runbookOf({ table, space }: Reader, of: { id: string; runbook_version: number }) {
  const stored = await table.get(runbookVersions, { ...space, ...of })
  return (
    stored ??
    builtInRunbooks(space).find(({ id, runbook_version }) => id === of.id && runbook_version === of.runbook_version)
  )
}

/** Throws 422 at the member of the body that names it. */
export async function mustBeRunbook(ctx: Reader, id: string): Promise<Runbook> {
  const found = await latestRunbook(ctx, id)
  if (!found) throw invalid(['runbook_id'], 'must be a runbook of this tenant.')
  return found
}

/** The newest version of each, in the order of their names. */
export async function allRunbooks({ table, space }: Reader) {
  const pk = operationsKey(space)
  const [stored, uses] = await Promise.all([
    table.query(runbookVersions, { pk, from: RUNBOOK_PREFIX, to: `${RUNBOOK_PREFIX}~` }),
    table.keys({ pk, from: 'RBKUSE#', to: 'RBKUSE#~' }).then((keys) => table.read(runbookUses, keys)),
  ])
  const given = builtInRunbooks(space)
  // Versions of one runbook follow each other, so the last one stays.
  const newest = new Map([...given, ...stored].map((runbook) => [runbook.id, runbook]))
  const usedAt = new Map(uses.map(({ id, last_used_at }) => [id, last_used_at]))
  return [...newest.values()]
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((runbook) => ({
      ...runbook,
      built_in:
        given.some(({ id }) => id === runbook.id) &&
        runbook.runbook_version === 1 &&
        runbook.created_by.type === 'system',
      last_used_at: usedAt.get(runbook.id) ?? null,
    }))
}

/** The runbook whose trigger names a rule or its severity; undefined where none does. */
export async function runbookForRule(
  ctx: Reader,
  { id, severity }: { id: string; severity: string },
): Promise<Runbook | undefined> {
  const all = await allRunbooks(ctx)
  return (
    all.find(({ trigger }) => trigger.alert_rule_ids.includes(id)) ??
    all.find(({ trigger }) => trigger.severities.includes(severity))
  )
}
