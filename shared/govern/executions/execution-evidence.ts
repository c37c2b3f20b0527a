import type { Context } from '../../base/context.ts'
import { readReferencedArtifacts } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import { alarmDiffering, type RowEvidence, rowEvidence } from '../../ledger/evidence/chain/row-evidence.ts'
import { contradictionsOf } from './contradictions.ts'
import type { Execution } from './execution.ts'

/** Whether each execution agrees with its evidence, in the same order. */
export async function executionEvidence(ctx: Context, executions: readonly Execution[]): Promise<RowEvidence[]> {
  const referenced = await readReferencedArtifacts(ctx, executions)
  const rows = executions.map((execution) => ({
    referenced: referenced.get(execution.id) ?? [],
    contradictions: (headers: Parameters<typeof contradictionsOf>[1]) => contradictionsOf(execution, headers),
  }))
  const evidence = await rowEvidence(ctx, rows)
  for (const [index, { id }] of executions.entries()) alarmDiffering(id, evidence[index])
  return evidence
}
