// Closes the open violation of a check that passes again.
import type { Context } from '../../base/context.ts'
import { Overtaken } from '../../base/kernel/retry.ts'
import { newArtifact } from '../evidence/artifact/artifact.ts'
import type { ViolationParts } from './open-violation.ts'
import { violations } from './violation.ts'

/** Undefined when none is open. The parts go into a commit as those of `openViolation`. */
export async function closeViolation(ctx: Context, check_id: string): Promise<ViolationParts | undefined> {
  const of = { ...ctx.space, check_id }
  const violation = await ctx.table.get(violations, of)
  if (!violation) return undefined
  const { id, opened_at } = violation
  const artifact = newArtifact(ctx, {
    type: 'compliance.violation.closed',
    subject: { type: 'violation', id },
    data: { check_id, opened_at },
  })
  const same = { expression: '#id = :id', names: { '#id': 'id' }, values: { ':id': id } }
  return {
    violation,
    writes: [violations.remove(of, same, new Overtaken())],
    transitions: [{ artifact }],
    measures: [],
  }
}
