// The one way to count over the event log: a pass reads each commit once and hands it to every folder that has not counted it.
import { iso, MINUTE_MS } from '../../base/lib/clock.ts'
import type { Context } from '../../base/context.ts'
import { SETTLED_MS } from '../../base/table/due.ts'
import type { Write } from '../../base/table/entity.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import { type Chunk, chunksFrom, logHead, oldestRetained } from '../events/log.ts'
import { unpackEvents } from '../events/outbox.ts'
import {
  type FoldedCommit,
  type Folder,
  type FolderPosition,
  folderPositions,
  GATHERED_MAX,
  NAMED_MAX,
  positionOf,
  TOUCHED_MAX,
} from './folder.ts'
import { Sums } from '../../base/kernel/count.ts'

const READ_COMMITS = 500
/** Commits of one transaction at most, and items besides the position: a transaction holds 100. */
const COMMITS_MAX = 5_000
const ITEMS_MAX = 99 - TOUCHED_MAX
/**
 * With so many names an item is written. Its expression has room for some 480: these, those of one more commit, and held-back
 * ones.
 */
const WIDEST = 270 - NAMED_MAX

/** Everything before it has happened and was written: the end (ms) of the last minute that is over for long enough. */
export const lastEnded = (now: number): number => Math.floor((now - SETTLED_MS) / MINUTE_MS) * MINUTE_MS

/** Brings every folder of this space up to date. False when it had to stop at `deadline` (ms) with more to do. */
export async function foldSpace(ctx: Context, folders: readonly Folder[], deadline: number): Promise<boolean> {
  const asOf = lastEnded(ctx.now())
  const { position: end } = await logHead(ctx)
  const passes = await Promise.all(
    folders.map(async (folder) => new FolderPass(ctx, folder, await positionOf(ctx, folder.name))),
  )
  const behind = () => passes.filter((pass) => pass.position < end && !pass.isOvertaken)
  for (let reading = behind(); reading.length > 0; reading = behind()) {
    if (ctx.now() >= deadline) return false
    const next = Math.min(...reading.map(({ position }) => position)) + 1
    const commits = await commitsFrom(ctx, next, end)
    for (const pass of reading) await pass.take(commits)
  }
  for (const pass of passes) if (!(await pass.finish(asOf, deadline))) return false
  return true
}

/** The next commits that are still retained; positions before them are gone. */
async function commitsFrom(ctx: Context, next: number, end: number): Promise<FoldedCommit[]> {
  const found = await chunksFrom(ctx, next, READ_COMMITS)
  const chunks = found.length > 0 ? found : await chunksFrom(ctx, await oldestRetained(ctx, end, next), READ_COMMITS)
  if (chunks.length === 0) throw new Error('the event log ends before its head')
  return chunks.map(readCommit)
}

function readCommit({ at, first, last, events: packed }: Chunk): FoldedCommit {
  const { events, measures } = unpackEvents(packed)
  return { at, first, last, events, measures }
}

/** One folder on its way through the log. */
class FolderPass {
  readonly #ctx: Context
  readonly #folder: Folder
  #stored: FolderPosition
  #next: FolderPosition
  #sums = new Sums()
  #commits = 0
  /** Another worker has moved its position: that one goes on. */
  isOvertaken = false

  constructor(ctx: Context, folder: Folder, stored: FolderPosition) {
    this.#ctx = ctx
    this.#folder = folder
    this.#stored = stored
    this.#next = structuredClone(stored)
  }

  get position(): number {
    return this.#next.position
  }

  async take(commits: readonly FoldedCommit[]): Promise<void> {
    for (const commit of commits) {
      if (this.isOvertaken || commit.last <= this.position) continue
      this.#folder.fold(commit, this.#sums, this.#next.state)
      this.#next.position = commit.last
      this.#commits += 1
      const { size, widest } = this.#sums
      if (this.#commits >= COMMITS_MAX || size >= ITEMS_MAX || widest >= WIDEST) await this.#store()
    }
  }

  /** False when time is over and there is more to do. */
  async finish(asOf: number, deadline: number): Promise<boolean> {
    for (let more = this.#folder.gather !== undefined; more && !this.isOvertaken;) {
      if (this.#sums.size > ITEMS_MAX - GATHERED_MAX) await this.#store()
      if (this.#ctx.now() >= deadline) return false
      const counted = { asOf, sums: this.#sums, state: this.#next.state }
      more = (await this.#folder.gather?.(this.#ctx, counted)) ?? false
      await this.#store()
    }
    await this.#store()
    return this.#rollUp(asOf, deadline)
  }

  async #rollUp(asOf: number, deadline: number): Promise<boolean> {
    while (this.#folder.rollUp && !this.isOvertaken) {
      if (this.#ctx.now() >= deadline) return false
      const writes = await this.#folder.rollUp(this.#ctx, { asOf, state: this.#next.state })
      if (writes.length === 0) break
      await this.#store(writes)
    }
    return true
  }

  /** The revision of the position guards the whole transaction: it fails if another worker has counted something meanwhile. */
  async #store(also: readonly Write[] = []): Promise<void> {
    this.#folder.settle?.(this.#sums)
    const due = this.#folder.dueAt?.(this.#next.state)
    this.#next.due_at = due === undefined ? undefined : iso(due)
    const { _v, ...next } = this.#next
    const isSame = JSON.stringify(this.#next) === JSON.stringify(this.#stored)
    if (this.isOvertaken || (isSame && this.#sums.size === 0 && also.length === 0)) return
    const write = _v === 0 ? folderPositions.insert(next) : folderPositions.replace(next, this.#stored)
    this.isOvertaken = !(await isFirst(this.#ctx.table.commit([write, ...this.#sums.writes(), ...also])))
    if (this.isOvertaken) return
    this.#folder.stored?.(this.#sums)
    this.#next._v += 1
    this.#stored = structuredClone(this.#next)
    this.#sums = new Sums()
    this.#commits = 0
  }
}

/**
 * The instant (ms) before which a folder has counted everything in the log: the end of the last minute that is over, or the
 * beginning of the oldest one that still waits to be counted. An idle space waits for nothing.
 */
export async function countedUntil(ctx: Context, { position }: Pick<FolderPosition, 'position'>): Promise<number> {
  const head = await logHead(ctx)
  const [chunk] = head.position > position ? await chunksFrom(ctx, position + 1, 1) : []
  const ended = lastEnded(ctx.now())
  return chunk ? Math.min(ended, Math.floor(chunk.at / MINUTE_MS) * MINUTE_MS) : ended
}
