// Makes the file of an export. May be called again at any time: one run at a time holds the export, a run that died is
// followed by another, and what cannot be made is said to have failed.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../context.ts'
import { iso } from '../lib/clock.ts'
import { Failure } from '../lib/failure.ts'
import { alarm } from '../lib/log.ts'
import { mustGo } from '../lib/states.ts'
import type { Stored } from '../table/entity.ts'
import { ConditionFailed } from '../table/table.ts'
import { type Export, EXPORT_STATES, exports } from './export.ts'
import { makeFile, type MadeFile } from './make-file.ts'
import { fileKey, removeFile, storeFile } from './store-file.ts'
import { createdEvent, told } from './told.ts'

/** Longer than the function may run. */
const LEASE_MS = 16 * 60_000
const ATTEMPTS_MAX = 3

export async function runExport(ctx: Context, id: string): Promise<void> {
  const claimed = await claim(ctx, id)
  if (!claimed) return
  const folder = await mkdtemp(join(tmpdir(), 'export-'))
  try {
    const made = await makeFile(ctx, claimed, join(folder, 'file'))
    await publish(ctx, claimed, made)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    await fail(ctx, claimed, error.message)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Undefined when there is nothing to do, or another run does it. */
async function claim(ctx: Context, id: string): Promise<Stored<Export> | undefined> {
  const was = await ctx.table.get(exports, { ...ctx.space, id })
  const now = ctx.now()
  const held = was !== undefined && was.attempt > 0 && was.due_at !== undefined && Date.parse(was.due_at) > now
  if (was?.status !== 'processing' || held) return undefined
  if (was.attempt >= ATTEMPTS_MAX) {
    alarm('export_failed', new Error('an export could not be made'), { export: id })
    await fail(ctx, was, 'The export could not be made; ask for it again.')
    return undefined
  }
  const next: Export = { ...was, attempt: was.attempt + 1, due_at: iso(now + LEASE_MS) }
  return (await replaced(ctx, was, next)) ? { ...next, _v: was._v + 1 } : undefined
}

async function publish(ctx: Context, was: Stored<Export>, made: MadeFile): Promise<void> {
  const key = fileKey(ctx.space, was.id, made.extension)
  await storeFile(key, made)
  const { sha256, size_bytes, row_count } = made
  const file = { key, name: `${was.ask.type}-${was.id}.${made.extension}`, sha256, size_bytes, row_count }
  mustGo(EXPORT_STATES, was.status, 'ready')
  const next: Export = { ...was, status: 'ready', due_at: undefined, file }
  // Withdrawn meanwhile: what is in the file may have been erased.
  if (!(await replaced(ctx, was, next, [told(ctx, next, createdEvent(next))]))) await removeFile(key)
}

const fail = (ctx: Context, was: Stored<Export>, error: string) =>
  replaced(ctx, was, { ...was, status: 'failed', due_at: undefined, error })

/** False when somebody else was faster. */
async function replaced(ctx: Context, was: Stored<Export>, next: Export, others: ReturnType<typeof told>[] = []) {
  try {
    await ctx.table.commit([exports.replace(next, was), ...others])
    return true
  } catch (error) {
    if (error instanceof ConditionFailed) return false
    throw error
  }
}
