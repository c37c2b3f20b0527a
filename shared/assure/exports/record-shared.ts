import type { Context } from '../../base/context.ts'
import { newArtifact } from '../../ledger/evidence/artifact/artifact.ts'
import { recorded } from '../../ledger/evidence/artifact/record.ts'
import { sharedEvent, type Shared } from './export-events.ts'

/** Records that content was given out at once, and to whom. `data`: what it was. */
export async function recordShared(
  ctx: Context,
  id: string,
  artifact_type: Shared['artifact_type'],
  data: Record<string, string | number>,
): Promise<void> {
  const artifact = newArtifact(ctx, { type: 'evidence.exported', subject: { type: 'export', id }, data })
  const occurrence = ctx.request.request_id
  const shared = { artifact_type, shared_with: ctx.principal.id, expires_at: null, occurrence }
  await ctx.table.commit(recorded(ctx, [{ artifact, events: [sharedEvent(id, shared)] }]))
}
