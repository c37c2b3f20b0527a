// Collects the erasures that the payload lines of a pack name. Artifacts within the range are in the pack anyway. Each of the
// others needs a proof that the chain holds it.
import type { Context } from '../../base/context.ts'
import { findArtifact } from '../../ledger/evidence/artifact/find-artifact.ts'
import { provenArtifact } from '../../ledger/evidence/checkpoint/prove.ts'
import { Failure } from '../../base/lib/failure.ts'
import { inParallel } from '../../base/lib/in-parallel.ts'
import type { PackRange } from './pack-range.ts'
import type { Position } from './read-range.ts'

const AT_ONCE = 8

/** Passes positions through and adds the erasures that they name to `named`. */
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

/** Undefined within the range. Also for an artifact that is missing or not signed yet; the verifier then reports the erasure. */
async function lineOf(ctx: Context, id: string, { from, to }: PackRange) {
  try {
    const { seq = -1 } = await findArtifact(ctx, id)
    return seq >= from && seq < to ? undefined : await provenArtifact(ctx, id)
  } catch (error) {
    if (error instanceof Failure && (error.kind === 'conflict' || error.kind === 'not_found')) return undefined
    throw error
  }
}
