// A record of a provider as it was copied, with its content sealed; and the removal of records from the table, which takes their
// bytes out of the count of stored bytes.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { type Condition, entity, key, spaceKey, type Stored } from '../../../base/table/entity.ts'
import { spaceMembers } from '../../../base/table/members.ts'
import { iso } from '../../../base/lib/clock.ts'
import { unlessChangedMeanwhile } from '../../../base/kernel/retry.ts'
import { payloadBytes } from '../../../ledger/sealing/seal.ts'
import { storageChange } from '../../../ledger/usage/usage-item.ts'

export const SyncedRecord = z.object({
  ...spaceMembers,
  connection_id: z.string(),
  model: z.string(),
  external_id: z.string(),
  /** SHA-256 of the content as the provider sent it. */
  sha256: z.string(),
  sealed: z.custom<Uint8Array>((value) => value instanceof Uint8Array),
  /** The latest run that saw it: a page that runs twice counts once. */
  job_id: z.string(),
  /** Until when the copy is kept: the retention of the plan, counted from the last run that saw the record. */
  kept_until: z.string().optional(),
})
export type SyncedRecord = z.output<typeof SyncedRecord>

type Of = Space & { connection_id: string; model: string }

export const recordsPartition = (of: Of): string => spaceKey(of, 'REC', of.connection_id, of.model)

/** The copies of all connections, in the order in which they go. */
const keptPartition = (space: Space): string => spaceKey(space, 'RECORDS')

/** Ids of providers hold any character. */
const sortOf = (external_id: string): string => Buffer.from(external_id).toString('base64url')

export const syncedRecords = entity({
  name: 'RECORD',
  unbound: 'bounded',
  schema: SyncedRecord,
  key: (of: Of & { external_id: string }) => ({ pk: recordsPartition(of), sk: sortOf(of.external_id) }),
  index: (of) =>
    of.kept_until === undefined
      ? {}
      : { gsi1pk: keptPartition(of), gsi1sk: key(of.kept_until, of.connection_id, of.model, sortOf(of.external_id)) },
})

/** With the counters, a transaction of 93 writes. */
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
    await unlessChangedMeanwhile(ctx.table.commit([...gone, ...storageChange(ctx, -bytesOf(page))]))
  }
}
