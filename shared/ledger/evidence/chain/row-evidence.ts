// Compares an execution or approval in the table with its evidence, for answers and exports.
import * as z from 'zod'
import type { Context } from '../../../base/context.ts'
import { alarm } from '../../../base/lib/log.ts'
import type { Header } from '../artifact/header.ts'
import type { ReferencedArtifact } from '../artifact/referenced-artifacts.ts'
import { inChain } from '../chain/standing.ts'

/**
 * `verified`: the row agrees with the chain. `pending`: it agrees with artifacts that wait for their position. `differs`: the
 * members in `contradicted` differ, or (`evidence`) artifacts are gone; then trust the artifacts, not the row.
 */
export const RowEvidence = z.object({
  evidence_status: z
    .enum(['verified', 'pending', 'differs'])
    .describe('Whether the evidence agrees: `verified`; `pending`, while it has no position yet; or `differs`.'),
  contradicted: z
    .array(z.string())
    .optional()
    .describe('Names of members that the evidence contradicts, or `evidence` where artifacts are missing.'),
})
export type RowEvidence = z.output<typeof RowEvidence>

type Row = {
  referenced: readonly Pick<ReferencedArtifact, 'item' | 'header'>[]
  /** The rule of its kind, applied only if every referenced artifact exists. */
  contradictions: (headers: readonly Partial<Header>[]) => string[]
}

/** In the order of the rows. */
export async function rowEvidence(ctx: Context, rows: readonly Row[]): Promise<RowEvidence[]> {
  const standing = await inChain(
    ctx,
    rows.flatMap(({ referenced }) => referenced.flatMap(({ item, header }) => (item && header ? item : []))),
  )
  return rows.map(({ referenced, contradictions }) => {
    const headers = referenced.flatMap(({ header }) => header ?? [])
    const places = referenced.map(({ item }) => (item ? standing.get(item) : undefined))
    const isWhole = headers.length > 0 && headers.length === referenced.length && !places.includes(undefined)
    const contradicted = isWhole ? contradictions(headers) : ['evidence']
    if (contradicted.length > 0) return { evidence_status: 'differs' as const, contradicted }
    return { evidence_status: places.includes('waits') ? ('pending' as const) : ('verified' as const) }
  })
}

/** Raises an alarm each time a differing row is shown. */
export function alarmDiffering(id: string, evidence: RowEvidence | undefined): void {
  if (evidence?.evidence_status !== 'differs') return
  const { contradicted = [] } = evidence
  const error = new Error('the row differs from its evidence')
  alarm('evidence.row_differs', error, { id, contradicted: contradicted.join() })
}
