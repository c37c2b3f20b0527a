import type { Context } from '../../shared/base/context.ts'
import { chunksFrom, logHead } from '../../shared/ledger/events/log.ts'
import { unpackEvents } from '../../shared/ledger/events/outbox.ts'

/** What was measured while something happened, commit by commit; those of a commit that states nothing are left out. */
export async function measured(ctx: Context, happening: () => Promise<unknown>): Promise<unknown[][]> {
  const { position } = await logHead(ctx)
  await happening()
  const { position: last } = await logHead(ctx)
  const chunks = last > position ? await chunksFrom(ctx, position + 1, 100) : []
  return chunks.map(({ events }) => unpackEvents(events).measures).filter((measures) => measures.length > 0)
}
