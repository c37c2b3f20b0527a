// The sequencer: gives pending artifacts consecutive positions in the chain of their space, a block at a time.
//
// A commit writes an artifact and a pending pointer. A block of at most 1,000 pointers then takes these steps:
//
// 1. Read the head, then the pointers, in this order. Every pointer that is visible after the read has no position yet, or
//    the head has changed and step 3 fails. Pointers without a valid HMAC of the service are set aside.
// 2. Compute links, Merkle frontier and counts of the next block. This is pure (`nextBlock`).
// 3. Insert the block and move the head, in one transaction. From here on the positions are fixed.
// 4. Write position and links into each artifact, delete the pointers, and mark the block as finalised in the head.
//
// The block comes before the artifacts, because it determines everything that step 4 writes. A run that dies before step 3
// leaves nothing behind. One that dies in step 4 leaves one unfinished block, and the next run begins with it: at most one
// block is ever unfinished, since no run starts another before. Two runs at once: the second loses step 3 and reads again, or
// both write the same values in step 4. An artifact that is gone or differs from its pointer keeps its position in the
// block, where verification reports it, and the chain goes on.
import type { Context } from '../../../base/context.ts'
import { chainName, link } from '../artifact/hashes.ts'
import { type Key, type Stored, toAttributes } from '../../../base/table/entity.ts'
import { isFirst, unlessChangedMeanwhile } from '../../../base/kernel/retry.ts'
import {
  type Block,
  BLOCK_MAX,
  blockKey,
  blocks,
  type Entry,
  type Head,
  headKey,
  heads,
  packEntries,
  unpackEntries,
} from './chain.ts'
import { setAsideForged } from './refused.ts'
import {
  type AttributeValue,
  BatchWriteItemCommand,
  type BatchWriteItemCommandOutput,
  ConditionalCheckFailedException,
} from '@aws-sdk/client-dynamodb'
import type { Readable } from '../../../base/table/table.ts'
import {
  artifactIdOf,
  artifactKey,
  POINTER_SHARDS,
  pointerKey,
  pointers,
  pointerShardKey,
  readable,
} from '../artifact/artifact.ts'
import { type Attested, unattested } from '../artifact/record.ts'
import { append, type Frontier, leafHash, rootOf } from './merkle.ts'
import { inParallel } from '../../../base/lib/in-parallel.ts'

/**
 * `lost`: announced artifacts that are gone or changed. The chain does not wait for them. `isStopped`: time was over, so more may
 * be pending.
 */
export type Sequenced = { sequenced: number; lost: string[]; isStopped: boolean; head: Stored<Head> | undefined }

/**
 * Sequences all pending artifacts of this space; stops after the first block past `until` (ms). It takes id, hash and time
 * from attested pointers, never from the artifact items. It throws when the head is behind its blocks, because then somebody
 * else changed the table.
 */
export async function sequence(ctx: Context, until = Number.POSITIVE_INFINITY): Promise<Sequenced> {
  const done: Sequenced = { sequenced: 0, lost: [], isStopped: false, head: undefined }
  let lostAt: number | undefined
  for (;;) {
    const head = await ctx.table.get(heads, headKey(ctx.space))
    if (head && head._v === lostAt) throw new Error(`the head of ${chainName(ctx.space)} is behind its blocks`)
    done.head = head
    if (!head) return done
    if (ctx.now() >= until) return { ...done, isStopped: true }
    if (head.last_block > head.finalized) {
      done.lost.push(...(await finalise(ctx, head)))
      continue
    }
    // Read after the head: every visible pointer is unsequenced, or the head has changed and the commit fails.
    const { pending, forged } = await readPending(ctx)
    await setAsideForged(ctx, forged)
    if (pending.length === 0 && forged.length === 0) return done
    if (pending.length === 0) continue
    if (await commitBlock(ctx, head, pending)) done.sequenced += pending.length
    else lostAt = head._v
  }
}

/** Writes two items for a batch of any size. False when another run was faster. */
async function commitBlock(ctx: Context, was: Stored<Head>, pending: Pending[]): Promise<boolean> {
  const { block, head } = nextBlock(chainName(ctx.space), was, pending)
  return isFirst(
    ctx.table.commit([blocks.insert({ ...blockKey(ctx.space, head.last_block), ...block }), heads.replace(head, was)]),
  )
}

type Announced = Attested & Pending
/** An item of the queue; without `announced` it is not a pointer. */
type Waiting = Key & { announced: Announced | undefined }

const pointer = readable(pointers)

const waitingItems: Readable<Waiting, Key> = {
  key: pointers.key,
  decode: (attributes) => ({ ...keyOf(attributes), announced: announcedBy(attributes) }),
}

const keyOf = ({ pk, sk }: Record<string, AttributeValue>): Key => ({ pk: pk?.S ?? '', sk: sk?.S ?? '' })

function announcedBy(attributes: Record<string, AttributeValue>): Announced | undefined {
  const found = pointer.decode(attributes)
  if (!found) return undefined
  const { sk, s: shard, ah, at, artifact_type: type, mac } = found
  return { artifact_id: artifactIdOf(sk), shard, ah, at, type, mac }
}

/** At most one block of artifacts, in chain order. `forged`: keys of items that must not get into the chain. */
async function readPending(ctx: Context): Promise<{ pending: Pending[]; forged: Key[] }> {
  const shards = Array.from({ length: POINTER_SHARDS }, (_, shard) =>
    ctx.table.query(waitingItems, { pk: pointerShardKey(ctx.space, shard), limit: BLOCK_MAX }),
  )
  const waiting = (await Promise.all(shards))
    .flat()
    .toSorted((a, b) => (a.sk < b.sk ? -1 : 1))
    .slice(0, BLOCK_MAX)
  const placed = waiting.flatMap(({ pk, announced }) =>
    announced && pk === pointerKey(ctx.space, announced.artifact_id).pk ? [announced] : [],
  )
  const refused = new Set<Announced>(await unattested(ctx.space, placed))
  const pending = placed.filter((one) => !refused.has(one))
  const taken = new Set<Pending | undefined>(pending)
  return { pending, forged: waiting.filter(({ announced }) => !taken.has(announced)) }
}

/** An artifact without a position yet. `at` is its ISO time. */
type Pending = Entry & { at: string; type: string }

/** The block of `pending` (at least one, in chain order) after `head`, and the next head. Pure; the caller adds the keys. */
export function nextBlock(chain: string, head: Head, pending: readonly Pending[]) {
  let last = head.last
  let frontier: Frontier = head.frontier
  let size = head.size
  const counts = { ...head.counts }
  for (const { ah, type } of pending) {
    last = link(chain, size, last, ah)
    frontier = append(frontier, size, leafHash(last))
    counts[type] = (counts[type] ?? 0) + 1
    size += 1
  }
  const block: Omit<Block, 'pk' | 'sk'> = {
    first: head.size,
    count: pending.length,
    prev: head.last,
    last,
    root_after: rootOf(frontier),
    entries: packEntries(pending),
  }
  const next: Head = {
    ...head,
    size,
    last,
    frontier: [...frontier],
    last_block: head.last_block + 1,
    first_at: head.first_at ?? pending[0]?.at,
    last_at: pending.at(-1)?.at,
    counts,
  }
  return { block, head: next }
}

/** The number of connections of the SDK. */
const CALLS_AT_ONCE = 50
const DELETES_PER_CALL = 25
const DELETE_TRIES = 8

/**
 * Writes the position of each artifact of the newest block. Returns the ids of artifacts that are gone or differ from their
 * announcement. It may run again at any time, because the block determines all values.
 */
async function finalise(ctx: Context, { last_block: number }: Head): Promise<string[]> {
  const block = await ctx.table.get(blocks, blockKey(ctx.space, number))
  if (!block) throw new Error(`block ${number} of ${chainName(ctx.space)} is gone`)
  const places = placesOf(chainName(ctx.space), block, number)
  const placed = await inParallel(CALLS_AT_ONCE, places, (place) => setPlace(ctx, place))
  await deletePointers(ctx, places)
  await markFinalised(ctx, number)
  return places.filter((_, index) => !placed[index]).map(({ artifact_id }) => artifact_id)
}

type Place = Entry & { seq: number; prev: Uint8Array; ch: Uint8Array; blk: number }

function placesOf(chain: string, block: Block, number: number): Place[] {
  let prev = block.prev
  return unpackEntries(block.entries).map((entry, index) => {
    const seq = block.first + index
    const place = { ...entry, seq, prev, ch: link(chain, seq, prev, entry.ah), blk: number }
    prev = place.ch
    return place
  })
}

/** False when the artifact differs from the block. */
async function setPlace(ctx: Context, { artifact_id, ah, seq, prev, ch, blk }: Place): Promise<boolean> {
  const condition = {
    expression: '#ah = :ah AND (attribute_not_exists(#seq) OR #seq = :seq)',
    names: { '#ah': 'ah' },
    values: { ':ah': ah },
  }
  try {
    await ctx.table.update(artifactKey(ctx.space, artifact_id), { set: { seq, prev, ch, blk }, condition })
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

/** No transactions, because they cost twice as much and deleting twice does no harm. */
async function deletePointers(ctx: Context, places: readonly Place[]): Promise<void> {
  const deletes = places.map(({ artifact_id }) => ({
    DeleteRequest: { Key: toAttributes(pointerKey(ctx.space, artifact_id)) },
  }))
  const batches = Array.from({ length: Math.ceil(deletes.length / DELETES_PER_CALL) }, (_, index) =>
    deletes.slice(index * DELETES_PER_CALL, (index + 1) * DELETES_PER_CALL),
  )
  await inParallel(CALLS_AT_ONCE, batches, (batch) => deleteAll(ctx, batch))
}

type Requests = NonNullable<BatchWriteItemCommandOutput['UnprocessedItems']>[string]

async function deleteAll({ table, clock }: Context, requests: Requests): Promise<void> {
  let left = requests
  for (let attempt = 0; left.length > 0; attempt += 1) {
    if (attempt >= DELETE_TRIES) throw new Error(`gave up deleting pointers after ${DELETE_TRIES} tries`)
    if (attempt > 0) await clock.sleep(10 * 2 ** attempt)
    const answer = await table.client.send(new BatchWriteItemCommand({ RequestItems: { [table.name]: left } }))
    left = answer.UnprocessedItems?.[table.name] ?? []
  }
}

async function markFinalised(ctx: Context, number: number): Promise<void> {
  const condition = {
    expression: '#last_block = :number AND #finalized = :before',
    names: { '#last_block': 'last_block', '#finalized': 'finalized' },
    values: { ':number': number, ':before': number - 1 },
  }
  // Unless another run has done the same.
  await unlessChangedMeanwhile(
    ctx.table.commit([heads.update(headKey(ctx.space), { set: { finalized: number }, condition })]),
  )
}
