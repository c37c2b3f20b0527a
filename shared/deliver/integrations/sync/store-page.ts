// Writes the changed records of a page, with the counts of the run in the same transactions; and removes the records that a full
// run did not see.
import { DAY_MS, iso } from '../../../base/lib/clock.ts'
import type { Context } from '../../../base/context.ts'
import { type Json, sha256Hex } from '../../../base/lib/json.ts'
import { tenantOf } from '../../../base/tenant/find.ts'
import { retentionDays } from '../../../base/tenant/retention.ts'
import type { Stored, Write } from '../../../base/table/entity.ts'
import { payloadBytes, sealPayload } from '../../../ledger/sealing/seal.ts'
import { storageChange } from '../../../ledger/usage/usage-item.ts'
import { findPointer, readSettings } from '../../../govern/governance/settings.ts'
import { storedTextsUnder } from '../../../govern/governance/pii/stored-text.ts'
import { type SyncJob, syncJobs, touched } from './job.ts'
import type { ListedRecord } from './list-page.ts'
import { asRead, bytesOf, recordsPartition, type SyncedRecord, syncedRecords } from './record.ts'

/** With the job and the counters, a transaction of 28 writes. */
const CHUNK = 24

type Counts = Pick<SyncJob, 'added' | 'updated' | 'unchanged'>

/** Nango has counted its own lists. */
const countedByNango = ({ nango }: SyncJob): boolean => nango?.model !== undefined

/**
 * Stores one page and moves the run on. Records that this run has seen are left out, so a page that runs twice counts once. Of
 * a list of Nango they are not: it sends each state of a record once, so a further state is written, too.
 */
export async function storePage(
  ctx: Context,
  job: Stored<SyncJob>,
  model: string,
  records: readonly ListedRecord[],
): Promise<Stored<SyncJob>> {
  const of = { ...ctx.space, connection_id: job.connection_id, model }
  const unique = [...new Map(records.map((record) => [record.external_id, record])).values()]
  const found = await ctx.table.getAll(
    syncedRecords,
    unique.map(({ external_id }) => ({ ...of, external_id })),
  )
  const known = new Map(found.map((record) => [record.external_id, record]))
  const settings = readSettings(await findPointer(ctx.table, ctx.space))
  const isNango = countedByNango(job)
  const isSeen = ({ external_id, text }: ListedRecord) => {
    const was = known.get(external_id)
    return was?.job_id === job.id && !(isNango && was.sha256 !== sha256Hex(text))
  }
  const fresh = unique.filter((record) => !record.gone && !isSeen(record))
  const kept_until = await keptUntil(ctx)
  let at = job
  for (let start = 0; start < fresh.length; start += CHUNK) {
    const chunk = fresh.slice(start, start + CHUNK)
    const counts: Counts = { added: at.added, updated: at.updated, unchanged: at.unchanged }
    let bytes = 0
    const writes = await Promise.all(
      chunk.map(async (record): Promise<Write> => {
        const was = known.get(record.external_id)
        const sha256 = sha256Hex(record.text)
        const base = { ...of, external_id: record.external_id, job_id: job.id, kept_until }
        if (was?.sha256 === sha256) {
          counts.unchanged += 1
          return syncedRecords.update(base, {
            set: { job_id: job.id, kept_until, ...syncedRecords.index?.({ ...was, kept_until }) },
            condition: asRead(was),
          })
        }
        counts[was ? 'updated' : 'added'] += 1
        const { content } = await storedTextsUnder(settings, { content: record.content })
        const next: SyncedRecord = { ...base, sha256, sealed: await sealed(ctx, base, content) }
        bytes += payloadBytes(next.sealed) - (was ? payloadBytes(was.sealed) : 0)
        return was ? syncedRecords.replace(next, was) : syncedRecords.insert(next)
      }),
    )
    const next = touched(ctx, { ...at, ...(!isNango && counts) })
    await ctx.table.commit([syncJobs.replace(next, at), ...writes, ...storageChange(ctx, bytes)])
    at = { ...next, _v: at._v + 1 }
  }
  return removeFrom(
    ctx,
    at,
    unique.flatMap(({ external_id, gone }) => (gone && known.get(external_id)) || []),
  )
}

async function keptUntil(ctx: Context): Promise<string> {
  const tenant = await tenantOf(ctx.table, ctx.space.tenant_id)
  return iso(ctx.now() + retentionDays(tenant) * DAY_MS)
}

type At = Parameters<typeof syncedRecords.key>[0]

const sealed = async (ctx: Context, at: At, content: Json) =>
  (await sealPayload(ctx.space, syncedRecords.key(at), 'sealed', content)).sealed

/** Removes records that a full run has not seen, one chunk after the other. */
export async function removeUnseen(ctx: Context, job: Stored<SyncJob>, model: string): Promise<Stored<SyncJob>> {
  const pk = recordsPartition({ ...ctx.space, connection_id: job.connection_id, model })
  let at = job
  let after: string | undefined
  for (;;) {
    const page = await ctx.table.query(syncedRecords, { pk, after, limit: 500 })
    const last = page.at(-1)
    if (!last) return at
    at = await removeFrom(
      ctx,
      at,
      page.filter(({ job_id }) => job_id !== job.id),
    )
    after = syncedRecords.key(last).sk
  }
}

async function removeFrom(
  ctx: Context,
  job: Stored<SyncJob>,
  records: readonly Stored<SyncedRecord>[],
): Promise<Stored<SyncJob>> {
  let at = job
  for (let start = 0; start < records.length; start += CHUNK) {
    const chunk = records.slice(start, start + CHUNK)
    const deleted = countedByNango(job) ? at.deleted : at.deleted + chunk.length
    const next = touched(ctx, { ...at, deleted })
    await ctx.table.commit([
      syncJobs.replace(next, at),
      ...chunk.map((record) => syncedRecords.remove(record, asRead(record))),
      ...storageChange(ctx, -bytesOf(chunk)),
    ])
    at = { ...next, _v: at._v + 1 }
  }
  return at
}
