// Makes the file of an export. It is safe to repeat: only one run at a time holds the export, a later run takes over from one
// that died, and an export that cannot be made is marked as failed.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context } from '../../base/context.ts'
import { commitWith } from '../../ledger/evidence/artifact/record.ts'
import { workLease } from '../../base/kernel/lease.ts'
import type { Moved } from '../../base/kernel/lifecycle.ts'
import { iso } from '../../base/lib/clock.ts'
import { Failure } from '../../base/lib/failure.ts'
import { alarm } from '../../base/lib/log.ts'
import type { Stored, Write } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import { createdEvent, eventWrite, type Export, exports, fileKey, moveExport, touchExport } from './export.ts'
import { type Announced, askForCheckpoint, type MadeFile, type Maker, type MakerOf, type Stage } from './pack/stage.ts'
import { removeFile, storeFile } from '../../base/aws/files.ts'

/** Longer than the timeout of the function. */
const turns = /* @__PURE__ */ workLease(exports, 16 * 60_000, 3)
/** How long the checkpointer may take before it is requested again. */
const ANSWER_MS = 60_000

type Options = {
  makerOf: MakerOf
  /** The checkpointer has just run for this export. */
  asked?: boolean | undefined
}

/**
 * Does the next step of an export: waits, announces its content, or makes and publishes its file. Does nothing when the export
 * is over or another run holds it. A refusal marks it as failed, with the reason; any other error is thrown, so the message comes
 * again. After a crash the lease runs out, and the sweeper starts another run, three at most.
 */
export async function runExport(ctx: Context, id: string, { makerOf, asked = false }: Options): Promise<void> {
  const found = await ctx.table.get(exports, { ...ctx.space, id })
  if (found?.status !== 'processing') return
  const maker = await makerOf(found.ask.type)
  const stage = await maker.stage(ctx, found)
  if (stage === 'waits') return wait(ctx, found, asked)
  const claimed = await claim(ctx, found)
  if (claimed) await work(ctx, claimed, { maker, stage })
}

/** The sweeper looks again, also when no message says that the wait is over. */
async function wait(ctx: Context, was: Stored<Export>, asked: boolean): Promise<void> {
  await stored(ctx, touchExport(was, { due_at: iso(ctx.now() + ANSWER_MS) }))
  await askForCheckpoint(ctx, was.id, asked)
}

async function work(
  ctx: Context,
  claimed: Stored<Export>,
  { maker, stage }: { maker: Maker; stage: Stage },
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'export-'))
  const path = join(folder, 'file')
  try {
    if (stage === 'announce' && maker.announce) await announce(ctx, claimed, await maker.announce(ctx, claimed, path))
    else {
      await publish(ctx, claimed, await maker.make(ctx, claimed, path, stage))
      await maker.cleanUp?.(ctx, claimed)
    }
  } catch (error) {
    if (!(error instanceof Failure) || error.kind === 'unavailable') throw error
    await fail(ctx, claimed, error.message)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Records the hash of the content in the chain, and requests the checkpoint that proves it. */
async function announce(ctx: Context, was: Stored<Export>, { kept, artifacts }: Announced): Promise<void> {
  const next = touchExport(was, { ...kept, ...turns.waiting(ctx.now() + ANSWER_MS) })
  const [first, ...others] = artifacts
  const transitions = commitWith(ctx, [{ artifact: first }, ...others.map((artifact) => ({ artifact }))])
  if (await stored(ctx, next, transitions)) await askForCheckpoint(ctx, was.id, false)
}

/** Undefined when there is nothing to do or another run holds the export. */
async function claim(ctx: Context, was: Stored<Export>): Promise<Stored<Export> | undefined> {
  if (turns.isHeld(was, ctx.now())) return undefined
  if (turns.isSpent(was)) {
    alarm('export_failed', new Error('an export could not be made'), { export: was.id })
    await fail(ctx, was, 'The export could not be made. Request it again.')
    return undefined
  }
  return turns.take(ctx, was)
}

async function publish(ctx: Context, was: Stored<Export>, made: MadeFile): Promise<void> {
  const key = fileKey(ctx.space, was.id, made.extension)
  await storeFile(key, made)
  const { sha256, size_bytes, row_count } = made
  const file = { key, name: `${was.ask.type}-${was.id}.${made.extension}`, sha256, size_bytes, row_count }
  const next = moveExport(was, 'ready', { due_at: undefined, file })
  // The export was withdrawn meanwhile, so the file may hold an erased payload.
  if (!(await stored(ctx, next, [eventWrite(ctx, next.item, createdEvent(next.item))]))) await removeFile(key)
}

const fail = (ctx: Context, was: Stored<Export>, error: string) =>
  stored(ctx, moveExport(was, 'failed', { due_at: undefined, error }))

/** False when another run changed the export first. */
const stored = (ctx: Context, { write }: Moved<Export>, others: Write[] = []): Promise<boolean> =>
  isFirst(ctx.table.commit([write, ...others]))
