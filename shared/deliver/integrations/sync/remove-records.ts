// Takes copied records out of the table, and out of what is counted as stored.
import type { Context } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import type { Condition, Stored } from '../../../base/table/entity.ts'
import { unlessOvertaken } from '../../../base/kernel/retry.ts'
import { payloadBytes } from '../../../ledger/sealing/seal.ts'
import { storageChange } from '../../../ledger/usage/storage.ts'
import { keptPartition, recordsPartition, type SyncedRecord, syncedRecords } from './record.ts'

/** With what is counted, a transaction of 93. */
const AT_ONCE = 90

/** Nobody has changed or removed the record since it was read: so it is counted once. */
export const asRead = ({ _v }: Stored<SyncedRecord>): Condition => ({
  expression: '#_v = :was',
  names: { '#_v': '_v' },
  values: { ':was': _v },
})

export const bytesOf = (records: readonly SyncedRecord[]): number =>
  records.reduce((sum, { sealed }) => sum + payloadBytes(sealed), 0)

/** Removes all that a connection copied. It may be repeated, also by two workers at once. */
export async function removeRecords(ctx: Context, connection_id: string, models: readonly string[]): Promise<void> {
  for (const model of models) {
    const pk = recordsPartition({ ...ctx.space, connection_id, model })
    await removeAll(ctx, () => ctx.table.query(syncedRecords, { pk, limit: AT_ONCE }))
  }
}

const past = (ctx: Context) => ({ pk: keptPartition(ctx.space), index: 'gsi1', to: iso(ctx.now()) }) as const

export const hasPastRecords = async (ctx: Context): Promise<boolean> =>
  (await ctx.table.query(syncedRecords, { ...past(ctx), limit: 1 })).length > 0

/** Removes copies that are past their time. It may be repeated. */
export const removePastRecords = (ctx: Context): Promise<void> =>
  removeAll(ctx, () => ctx.table.query(syncedRecords, { ...past(ctx), limit: AT_ONCE }))

/** `next`: the first of those that are still there, `AT_ONCE` at most. */
async function removeAll(ctx: Context, next: () => Promise<Stored<SyncedRecord>[]>): Promise<void> {
  for (let page = await next(); page.length > 0; page = await next()) {
    const gone = page.map((record) => syncedRecords.remove(record, asRead(record)))
    // Unless somebody else was faster: what is left is read again.
    await unlessOvertaken(ctx.table.commit([...gone, ...storageChange(ctx, -bytesOf(page))]))
  }
}
