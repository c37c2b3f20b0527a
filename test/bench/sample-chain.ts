// Chains of any length for benchmarks, made as the sequencer makes them but written straight into the table.
import type { Context, Space } from '../../shared/base/context.ts'
import {
  type Artifact,
  artifactKey,
  newArtifacts,
  shardOf,
  type StoredArtifact,
} from '../../shared/ledger/evidence/artifact/artifact.ts'
import {
  type Block,
  blockKey,
  BLOCK_MAX,
  checkpointKey,
  checkpoints,
  geneses,
  genesisKey,
  type Head,
  headKey,
} from '../../shared/ledger/evidence/chain/chain.ts'
import { objectKey, putAnchor } from '../../shared/ledger/evidence/checkpoint/checkpoint-store.ts'
import { chainName, type Genesis, genesisLink, link } from '../../shared/ledger/evidence/artifact/hashes.ts'
import { rootOf } from '../../shared/ledger/evidence/chain/merkle.ts'
import { nextBlock } from '../../shared/ledger/evidence/chain/sequence.ts'
import { checkpointText, signedNote } from '../../shared/ledger/evidence/checkpoint/note.ts'
import { signersOf } from '../../shared/ledger/evidence/checkpoint/signers.ts'
import { sign, signingKey } from '../../shared/ledger/evidence/checkpoint/signing-key.ts'
import { iso } from '../../shared/base/lib/clock.ts'
import { sha256Hex } from '../../shared/base/lib/json.ts'
import { toAttributes } from '../../shared/base/table/entity.ts'
import type { Deployment } from './virtual-time.ts'

export const SPACE: Space = { tenant_id: 'ten_01J9Z3K4M5N6P7Q8R9S0T1V2W3', mode: 'live' }
/** Artifacts behind the newest checkpoint. */
export const TAIL = 500
const HASH = 'a'.repeat(64)

/** A typical execution: about 800 bytes of header. */
const execution = (ctx: Context, request_id = ctx.id('exe')) => ({
  type: 'protocol.executed' as const,
  subject: { type: 'execution', id: '' },
  request_id,
  node_id: 'crm.contacts.editor',
  action_id: 'update_contact',
  version: '1.0.0',
  decision: {
    tier: 'AUTO' as const,
    kind: 'update',
    risk: 0.2,
    strategy: 'auto',
    reasons: ['kind', 'trust'],
    policy_set_version: HASH,
  },
  policies_passed: 5,
  outcome: 'succeeded' as const,
  latency_ms: 12,
  retries: 0,
  payload_commitment: sha256Hex(`payload of ${request_id}`),
  result_commitment: sha256Hex(`result of ${request_id}`),
})

type Piece = { head: Head; number: number; block: Omit<Block, 'pk' | 'sk'>; items: (StoredArtifact & { id: string })[] }

/** A finished chain, block by block. */
export function* chainOf(ctx: Context, genesis: Genesis, size: number, blockMax: number = BLOCK_MAX): Generator<Piece> {
  const empty = { size: 0, frontier: [], last_block: 0, finalized: 0, counts: {} }
  let head: Head = { ...headKey(SPACE), ...empty, last: genesisLink(genesis) }
  while (head.size < size) {
    const count = Math.min(blockMax, size - head.size)
    const made = newArtifacts(ctx, ...Array.from({ length: count }, () => execution(ctx)))
    const pending = made.map(({ artifact_id, ah, at, type }) => ({
      artifact_id,
      ah,
      type,
      at: iso(at),
      shard: shardOf(artifact_id),
    }))
    const next = nextBlock(chainName(SPACE), head, pending)
    const number = next.head.last_block
    const items = placed(made, head, number)
    head = { ...next.head, finalized: number }
    yield { head, number, block: next.block, items }
  }
}

function placed(made: readonly Artifact[], { size, last }: Head, blk: number) {
  let prev = last
  return made.map(({ artifact_id: id, header, ah }, index) => {
    const seq = size + index
    const item = {
      ...artifactKey(SPACE, id),
      id,
      header,
      ah,
      seq,
      prev,
      ch: link(chainName(SPACE), seq, prev, ah),
      blk,
    }
    prev = item.ch
    return item
  })
}

/** Puts a chain into the deployment: signed up to the last 500, and of artifacts only those from `keptFrom` on. */
export async function found({ ctx, table }: Deployment, size: number, keptFrom: number): Promise<void> {
  const genesis = await ctx.table.get(geneses, genesisKey(SPACE))
  if (!genesis) throw new Error('no genesis')
  for (const { head, number, block, items } of chainOf(ctx, genesis, size, Math.min(BLOCK_MAX, TAIL))) {
    if (head.size > keptFrom) {
      table.tamper('table', blockKey(SPACE, number), (base) => ({ ...base, ...toAttributes(block) }))
      for (const { id, ...item } of items) table.tamper('table', artifactKey(SPACE, id), () => toAttributes(item))
    }
    if (head.size === Math.max(head.size % TAIL, size - TAIL) || (size < TAIL && head.size === size)) {
      await signAt(ctx, genesis, head)
    }
    if (head.size >= size) table.tamper('table', headKey(SPACE), () => toAttributes({ ...head, _v: 1 }))
  }
}

export async function signAt(
  ctx: Context,
  genesis: Genesis,
  { size, last, frontier, last_block: block }: Head,
): Promise<void> {
  const { current: key } = await signersOf(ctx, genesis)
  const root = rootOf(frontier)
  const text = checkpointText({ origin: key.name, size, root })
  const note = signedNote(text, [{ key, signature: await sign(text, await signingKey()) }])
  const [object_key, at] = [objectKey(SPACE, size), iso(ctx.now())]
  await putAnchor({
    object_key,
    note,
    frontier: frontier.map((hash) => Buffer.from(hash)),
    link: Buffer.from(last),
    from: 0,
    block,
    signed_at: at,
    size,
  })
  const item = { size, block, note, root, object_key, at, key_arn: 'key' }
  await ctx.table.commit([checkpoints.insert({ ...checkpointKey(SPACE, size), ...item })])
}
