// The artifact: how it is built, and how it and its pending pointer are stored. The artifact item holds the exact text that was
// hashed. The sequencer later adds position and links without changing that text.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { canonicalJson, sha256 } from '../../../base/lib/json.ts'
import { iso } from '../../../base/lib/clock.ts'
import { entity, type Key, spaceKey } from '../../../base/table/entity.ts'
import type { ArtifactType } from '../../../base/catalog/artifact-types.ts'
import { artifactHash, chainName, publicHash } from './hashes.ts'
import type { Header } from './header.ts'
import type { Readable } from '../../../base/table/table.ts'

/** Partitions over which the artifacts of a chain are spread: one partition key takes 1,000 writes a second. */
export const SHARDS = 8
export const POINTER_SHARDS = 4

/** A binary attribute. */
export const Bytes = z.custom<Uint8Array>((value) => value instanceof Uint8Array)

const sameKey = ({ pk, sk }: Key): Key => ({ pk, sk })

export const StoredArtifact = z.object({
  pk: z.string(),
  sk: z.string(),
  header: z.string(),
  ah: Bytes,
  sealed: Bytes.optional(),
  /** The artifact of the erasure of this payload. It is outside the hash, because erasing changes no record. */
  erased_by: z.string().optional(),
  /** Set by the sequencer: position, previous link, own link, block number. */
  seq: z.int().optional(),
  prev: Bytes.optional(),
  ch: Bytes.optional(),
  blk: z.int().optional(),
})
export type StoredArtifact = z.output<typeof StoredArtifact>

/** The key is stored as it is: its parts are in the header already, and the item must stay below 1 KiB. */
export const artifacts = entity({ name: 'EV', unbound: 'proven by itself', schema: StoredArtifact, key: sameKey })

/** Marks an artifact without a position. It holds the hash, so sequencing reads no artifacts. */
export const pointers = entity({
  name: 'POINTER',
  unbound: 'proven by itself',
  schema: z.object({
    pk: z.string(),
    sk: z.string(),
    s: z.int(),
    ah: Bytes,
    at: z.string(),
    artifact_type: z.string(),
    /** The HMAC of `record.ts`. Absent only on items that the service did not write. */
    mac: Bytes.optional(),
  }),
  key: sameKey,
})

export const ulidOf = (artifactId: string): string => artifactId.slice('art_'.length)
export const artifactIdOf = (ulid: string): string => `art_${ulid}`

export const shardOf = (artifactId: string): number => (sha256(artifactId)[0] ?? 0) % SHARDS
export const shardKey = (space: Space, shard: number): string => spaceKey(space, 'EV', String(shard))
export const pointerShardKey = (space: Space, shard: number): string => spaceKey(space, 'EVP', String(shard))

export const artifactKey = (space: Space, artifactId: string): Key => ({
  pk: shardKey(space, shardOf(artifactId)),
  sk: ulidOf(artifactId),
})

export const pointerKey = (space: Space, artifactId: string): Key => ({
  pk: pointerShardKey(space, shardOf(artifactId) % POINTER_SHARDS),
  sk: ulidOf(artifactId),
})

/** The resource that an artifact is about: an execution, an approval, a key … */
export type Subject = { type: string; id: string }

type Given = 'v' | 'artifact_id' | 'chain' | 'type' | 'occurred_at' | 'actor' | 'subject'

/**
 * The facts of a transition. Trace, correlation, agent and creator default to those of the request. `at` (ms) defaults to
 * now; a verb passes it when it has stored the time elsewhere.
 */
export type ArtifactFacts = Omit<Header, Given> & {
  type: ArtifactType
  subject: Subject
  at?: number
  /** Where the state that is committed names it. Default: a new one. */
  artifact_id?: string
}

/** An artifact that is not stored yet. `hash` is the `sha256:<hex>` of receipts and events. */
export type Artifact = {
  artifact_id: string
  type: ArtifactType
  subject: Subject
  at: number
  header: string
  ah: Buffer
  hash: string
}

/** Creates the only artifact of a commit, as `newArtifacts` does. */
export const newArtifact = (ctx: Context, facts: ArtifactFacts): Artifact =>
  buildArtifact(ctx, facts.artifact_id ?? ctx.id('art'), facts)

/**
 * Creates the artifacts of one commit, in chain order. Nothing is stored yet: pass them to `commitWith`. Their hashes may
 * already be used in receipts.
 */
export function newArtifacts<const F extends readonly ArtifactFacts[]>(
  ctx: Context,
  ...facts: F
): { [I in keyof F]: Artifact } {
  // Sorted, because ids of the same millisecond are in random order and the chain follows the order of ids.
  const ids = facts.map(() => ctx.id('art')).toSorted()
  const made = facts.map((each, index) => buildArtifact(ctx, each.artifact_id ?? ids[index] ?? '', each))
  return made as { [I in keyof F]: Artifact } // `map` keeps the length of a tuple, but its type does not
}

function buildArtifact(
  ctx: Context,
  artifact_id: string,
  { at = ctx.now(), subject, ...facts }: ArtifactFacts,
): Artifact {
  const { principal, request, space } = ctx
  const header: Header = {
    trace_id: request.trace_id,
    correlation_id: request.correlation_id,
    agent_id: principal.agent_id,
    creator: principal.creator,
    ...facts,
    // An execution is named by its request_id.
    subject: facts.request_id === undefined ? subject : undefined,
    v: 1,
    artifact_id,
    chain: chainName(space),
    occurred_at: iso(at),
    actor: { kind: principal.kind, id: principal.id },
  }
  const text = canonicalJson(header)
  const ah = artifactHash(text)
  return { artifact_id, type: facts.type, subject, at, header: text, ah, hash: publicHash(ah) }
}

/** Reads an item that breaks its schema as missing, because a manipulated item is a finding and not an internal error. */
export const readable = <T, K>({ key, decode }: Readable<T, K>): Readable<T | undefined, K> => ({
  key,
  decode: (attributes) => {
    try {
      return decode(attributes)
    } catch {
      return undefined
    }
  },
})
