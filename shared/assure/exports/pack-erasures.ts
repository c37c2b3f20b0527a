// The erasures that payload lines of a pack name. Those within its range stand among its artifacts; the others come with a
// proof of their own, since nobody is to believe an erasure that the chain does not hold.
import type { Context } from '../../base/context.ts'
import { findArtifact } from '../../ledger/evidence/artifact/find-artifact.ts'
import { provenArtifact } from '../../ledger/evidence/checkpoint/prove.ts'
import { Failure } from '../../base/lib/failure.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import type { PackRange } from './pack-range.ts'
import type { Position } from './read-range.ts'

const AT_ONCE = 8

/** Passes positions on and collects what they name. */
export async function* erasuresNamed(blocks: AsyncIterable<Position[]>, named: Set<string>) {
  for await (const block of blocks) {
    for (const { erased_by } of block) if (erased_by !== undefined) named.add(erased_by)
    yield block
  }
}

export async function erasureLines(ctx: Context, named: ReadonlySet<string>, range: PackRange): Promise<string[]> {
  const lines = await inParallel(AT_ONCE, [...named].toSorted(), (id) => lineOf(ctx, id, range))
  return lines.flatMap((line) => (line ? [`${JSON.stringify(line)}\n`] : []))
}

/** Undefined within the range, and for what is gone or not signed yet: then the verifier refuses the claim. */
async function lineOf(ctx: Context, id: string, { from, to }: PackRange) {
  try {
    const { seq = -1 } = await findArtifact(ctx, id)
    return seq >= from && seq < to ? undefined : await provenArtifact(ctx, id)
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'conflict' || error.kind === 'not_found')) return undefined
    throw error
  }
}
