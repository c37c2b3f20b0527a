// The packed entries of a block: 49 bytes per artifact, so a block of 1,000 fits into one item.
import { base32, fromBase32 } from '../../../base/lib/ids.ts'
import { artifactIdOf, ulidOf } from '../artifact/artifact.ts'

export type Entry = { artifact_id: string; shard: number; ah: Uint8Array }

const ULID_BYTES = 16
const ENTRY_BYTES = ULID_BYTES + 1 + 32

/** 16 bytes ULID, 1 byte shard, 32 bytes artifact hash, for each artifact in order. */
export const packEntries = (entries: readonly Entry[]): Uint8Array =>
  Buffer.concat(
    entries.flatMap(({ artifact_id, shard, ah }) => [fromBase32(ulidOf(artifact_id)), Buffer.of(shard), ah]),
  )

/** Throws when the bytes are no whole number of entries. */
export function unpackEntries(packed: Uint8Array): Entry[] {
  if (packed.length % ENTRY_BYTES !== 0) throw new Error('the entries of the block are cut')
  const bytes = Buffer.from(packed)
  return Array.from({ length: bytes.length / ENTRY_BYTES }, (_, index) => {
    const entry = bytes.subarray(index * ENTRY_BYTES, (index + 1) * ENTRY_BYTES)
    return {
      artifact_id: artifactIdOf(base32(entry.subarray(0, ULID_BYTES))),
      shard: entry.readUInt8(ULID_BYTES),
      ah: entry.subarray(ULID_BYTES + 1),
    }
  })
}
