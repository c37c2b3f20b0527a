// What an archive for an audit waits for: a run of all checks that is newer than the request, so that it shows how things are; a
// checkpoint that covers the request; and one that covers the announcement of its manifest.
import type { Context } from '../../base/context.ts'
import { askOf, type Export } from '../exports/export.ts'
import { isSigned, type Stage } from '../exports/pack/stage.ts'
import { readState } from '../frameworks/state.ts'

/** A run that ended so short before the request is as good as one after it. */
export const FRESH_MS = 10 * 60_000
/** After this time it shows what the last run found, up to what the chain holds by then. */
const PATIENCE_MS = 10 * 60_000
/** After this time it is made without the proofs. */
const PROOF_MS = 2 * 60_000

export async function auditStage(ctx: Context, item: Export): Promise<Stage> {
  const { artifact, draft, requested_at } = item
  const now = ctx.now()
  if (draft) {
    if (await isSigned(ctx, draft.artifact_id)) return 'seal'
    return now < draft.at + PROOF_MS ? 'waits' : 'unsealed'
  }
  const requested = Date.parse(requested_at)
  if (now >= requested + PATIENCE_MS) return 'announce'
  const ready = (await hasFreshRun(ctx, item, requested)) && (await isSigned(ctx, artifact.id))
  return ready ? 'announce' : 'waits'
}

async function hasFreshRun(ctx: Context, item: Export, requested: number): Promise<boolean> {
  const { standing } = await readState(ctx, askOf(item, 'compliance').framework_id)
  return isFresh(standing?.last_run, requested)
}

/** `requested` in ms. */
export const isFresh = (run: { ended_at: string } | undefined, requested: number): boolean =>
  run !== undefined && Date.parse(run.ended_at) >= requested - FRESH_MS
