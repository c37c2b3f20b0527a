// A message of a provider that no rule asks for is kept for a while, as a record of a list of its own.
import type { Context } from '../../../base/context.ts'
import { canonicalJson, type Json, sha256Hex } from '../../../base/lib/json.ts'
import { iso } from '../../../base/lib/clock.ts'
import { storedTextsUnder } from '../../../govern/governance/pii/stored-text.ts'
import { findPointer, readSettings } from '../../../govern/governance/settings.ts'
import { payloadBytes, sealPayload } from '../../../ledger/sealing/seal.ts'
import { storageChange } from '../../../ledger/usage/storage.ts'
import type { Connection } from '../connection.ts'
import { syncedModels } from '../sync/job.ts'
import { syncedRecords } from '../sync/record.ts'

/** The list that they stand in. */
export const FORWARDED = '_forwarded'
const KEPT_MS = 7 * 86_400_000

/** Redacted first where the tenant asks for that, as copied records are. */
export async function keepForwarded(ctx: Context, { id }: Connection, payload: Json): Promise<void> {
  const of = { ...ctx.space, connection_id: id, model: FORWARDED }
  const record = { ...of, external_id: ctx.id('fwd') }
  const { content } = await storedTextsUnder(readSettings(await findPointer(ctx.table, ctx.space)), {
    content: payload,
  })
  const { sealed } = await sealPayload(ctx.space, syncedRecords.key(record), 'sealed', content)
  const kept_until = iso(ctx.now() + KEPT_MS)
  await ctx.table.commit(
    [
      syncedRecords.insert({
        ...record,
        sha256: sha256Hex(canonicalJson(payload)),
        sealed,
        job_id: FORWARDED,
        kept_until,
      }),
      syncedModels.update(of, { set: { ...of, _type: syncedModels.name } }),
      ...storageChange(ctx, payloadBytes(sealed)),
    ],
    record.external_id,
  )
}
