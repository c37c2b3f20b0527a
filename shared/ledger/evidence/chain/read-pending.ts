// Reads the queue of pending artifacts, and separates those that the service recorded from forged ones.
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Context } from '../../../base/context.ts'
import type { Key } from '../../../base/table/entity.ts'
import type { Readable } from '../../../base/table/table.ts'
import { artifactIdOf, POINTER_SHARDS, pointerKey, pointers, pointerShardKey } from '../artifact/artifact.ts'
import { type Attested, unattested } from '../artifact/attest.ts'
import { BLOCK_MAX } from './chain.ts'
import type { Pending } from './next-block.ts'
import { readable } from '../artifact/readable.ts'

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
export async function readPending(ctx: Context): Promise<{ pending: Pending[]; forged: Key[] }> {
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
