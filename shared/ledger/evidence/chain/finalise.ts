// Writes the position of each artifact of a block. It may run again at any time, because the block determines what is
// written.
import {
  BatchWriteItemCommand,
  type BatchWriteItemCommandOutput,
  ConditionalCheckFailedException,
} from '@aws-sdk/client-dynamodb'
import type { Context } from '../../../base/context.ts'
import { inParallel } from '../../../base/lib/in-parallel.ts'
import { toAttributes } from '../../../base/table/entity.ts'
import { unlessOvertaken } from '../../../base/kernel/retry.ts'
import { artifactKey, pointerKey } from '../artifact/artifact.ts'
import { type Block, blockKey, blocks, type Head, headKey, heads } from './chain.ts'
import { type Entry, unpackEntries } from './entries.ts'
import { chainName, link } from '../artifact/hashes.ts'

/** The number of connections of the SDK. */
const CALLS_AT_ONCE = 50
const DELETES_PER_CALL = 25
const DELETE_TRIES = 8

/** Finalises the newest block. Returns the ids of artifacts that are gone or differ from their announcement. */
export async function finalise(ctx: Context, { last_block: number }: Head): Promise<string[]> {
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
  await unlessOvertaken(ctx.table.commit([heads.update(headKey(ctx.space), { set: { finalized: number }, condition })]))
}
