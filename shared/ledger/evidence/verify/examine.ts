// Reads everything that a verification checks, and derives its result. It reads the chain, its checkpoints in the table, and
// the newest one in the bucket. Checkpoints are read before the head, so none can be ahead of the chain.
import type { Context } from '../../../base/context.ts'
import { sameBytes } from '../../../base/lib/json.ts'
import { artifactKey, artifacts, readable } from '../artifact/artifact.ts'
import {
  blockKey,
  blocks,
  type Checkpoint,
  type Finding,
  type Head,
  headKey,
  heads,
  unpackEntries,
} from '../chain/chain.ts'
import type { Break } from './results.ts'
import type { ChainWalk } from './chain-walk.ts'
import { type Anchor, findAnchor } from '../checkpoint/checkpoint-store.ts'
import { type Genesis, genesisLink } from '../artifact/hashes.ts'
import type { Header } from '../artifact/header.ts'
import { CheckpointVerifier } from './segment.ts'
import { genesisStart, newestCheckpoints } from '../chain/read-chain.ts'
import { brokenLinks, type HeadState, WALK_MAX, walkToHead } from './walk-to-head.ts'
import type { Signers } from '../checkpoint/signers.ts'
import type { LastFull } from './verify-state.ts'
import { iso } from '../../../base/lib/clock.ts'

/** Maximum of checkpoints that one verification checks, newest first. */
const CHECKPOINTS_MAX = 1_000

/** `last` is the last full pass, `openBreak` the break that is not repaired yet. */
export type Known = {
  genesis: Genesis
  signers: Signers
  last: LastFull | undefined
  openBreak: Break | undefined
}

/** Examines a whole chain if one walk can; of a longer chain only the part after the newest checkpoint. */
export async function examine(ctx: Context, { genesis, signers, last, openBreak }: Known): Promise<Examined> {
  const began = ctx.now()
  const [known] = await newestCheckpoints(ctx, 1)
  const { newest, anchor } = await findAnchor(ctx.space, signers, known?.size)
  const head = await ctx.table.get(readable(heads), headKey(ctx.space))
  const size = head?.size ?? 0
  const full = size <= WALK_MAX
  const cut = anchor !== undefined && size < anchor.size
  const start = full || cut || !anchor ? genesisStart(genesis) : anchor
  const items = (full ? await newestCheckpoints(ctx, CHECKPOINTS_MAX) : [known])
    .filter((item) => item !== undefined)
    .filter((item) => item.size <= (known?.size ?? 0)) // without those signed since
  const verifier = new CheckpointVerifier(signers, start.size, anchor ? [...items, anchor] : items)
  const { walk, complete } = await walkToHead(ctx, start, head ?? emptyHead(genesis), verifier.check)
  if (!head) walk.report(null, 'missing', 0)
  if (cut) for (let at = size; at < anchor.size; at += 1) walk.report(null, 'missing', at)
  return {
    began,
    now: ctx.now(),
    mode: full ? 'full' : 'incremental',
    head: { size, ...times(walk, start.size, head, complete) },
    anchor,
    signatureFailed: (newest !== undefined && !anchor) || verifier.invalid.length > 0 || twoRoots(items, anchor),
    findings: walk.findings,
    last: full ? undefined : last,
    openBreak,
    walkedTo: walk.size,
    walked: { artifacts: walk.size - start.size, ms: ctx.now() - began },
    complete,
    oldestUnanchoredAt: head && (await oldestUnanchored(ctx, head, anchor)),
  }
}

/** First and newest time, from the walked artifacts where possible, because the head only claims them. */
function times({ occurred }: ChainWalk, from: number, head: Head | undefined, complete: boolean) {
  return {
    first_at: from === 0 ? (occurred.first ?? head?.first_at) : head?.first_at,
    last_at: complete ? (occurred.last ?? head?.last_at) : head?.last_at,
  }
}

/** Replaces a missing head: the chain then ends before its first artifact. */
const emptyHead = (genesis: Genesis): HeadState => ({
  size: 0,
  last: genesisLink(genesis),
  last_block: 0,
  finalized: 0,
})

/** Whether two checkpoints of one size have different roots. */
const twoRoots = (items: readonly Checkpoint[], anchor: Anchor | undefined): boolean =>
  items.some(({ size, root }) => size === anchor?.size && !sameBytes(root, anchor.root))

/** Time of the first artifact that no checkpoint covers; the newest time if it cannot be read. */
async function oldestUnanchored(ctx: Context, head: Head, anchor: Anchor | undefined): Promise<string | undefined> {
  const number = (anchor?.block ?? 0) + 1
  if (number > head.last_block) return undefined
  try {
    const block = await ctx.table.get(blocks, blockKey(ctx.space, number))
    const [first] = block ? unpackEntries(block.entries) : []
    const artifact = first && (await ctx.table.get(artifacts, artifactKey(ctx.space, first.artifact_id)))
    const { occurred_at }: Partial<Header> = JSON.parse(artifact?.header ?? '{}')
    return occurred_at ?? head.last_at
  } catch {
    return head.last_at // its fault is already a finding
  }
}

/** An artifact without a signature counts as late after this time. */
const LATE_MS = 300_000
const SKEW_MS = 60_000

export type Examined = {
  /** When it began and ended (ms). */
  began: number
  now: number
  mode: 'full' | 'incremental'
  head: Pick<Head, 'size' | 'first_at' | 'last_at'>
  /** The newest checkpoint, if valid. */
  anchor: Anchor | undefined
  /** A checkpoint is not valid: signature, root or locked object differ. */
  signatureFailed: boolean
  /** Findings of this verification. */
  findings: readonly Finding[]
  /** The last full pass, unless this is one. Its findings stay open until another full pass no longer finds them. */
  last: LastFull | undefined
  /** A break that no full pass has found repaired yet. */
  openBreak: Break | undefined
  /** The last position of the walk; `complete`: it reached the end of the chain. */
  walkedTo: number
  /** How many artifacts were read, and how long (ms) that took. */
  walked: { artifacts: number; ms: number }
  complete: boolean
  oldestUnanchoredAt: string | undefined
}

/** `stale`: the clock is behind times in the chain, so waiting times are unknown. */
type SignatureStatus = 'all_verified' | 'pending' | 'stale' | 'failed' | 'none'

/** The result of a verification from its findings. Pure, so that every case can be tested. */
export function verdict(examined: Examined) {
  const { head, anchor, findings, last, signatureFailed } = examined
  const open = [...(last?.broken ?? []), ...(isRepaired(examined) ? [] : (examined.openBreak?.findings ?? []))]
  const anchored = signatureFailed ? 0 : (anchor?.size ?? 0)
  return {
    chain_valid: findings.length === 0 && last?.result !== 'broken' && !signatureFailed && isRepaired(examined),
    total_artifacts: head.size,
    first_artifact: head.first_at ?? null,
    latest_artifact: head.last_at ?? null,
    signature_status: signatureStatus(examined),
    broken_links: brokenLinks([...findings, ...open]),
    verification: {
      mode: examined.mode,
      checked_at: iso(examined.now),
      anchored_through: anchored,
      unanchored: Math.max(0, head.size - anchored),
      ...(examined.oldestUnanchoredAt && { oldest_unanchored_at: examined.oldestUnanchoredAt }),
      ...(anchor && !signatureFailed && { checkpoint: checkpointView(anchor) }),
      tail: { from: anchor?.size ?? 0, to: examined.walkedTo, result: tailResult(examined) },
    },
  }
}

/** A full pass finds an unrepaired break again. A longer chain waits for a pass that began after the break was found. */
const isRepaired = ({ mode, last, openBreak }: Examined): boolean =>
  openBreak === undefined || mode === 'full' || (last !== undefined && last.began_at > openBreak.at)

function signatureStatus(examined: Examined): SignatureStatus {
  const { now, head, anchor, last, signatureFailed, oldestUnanchoredAt } = examined
  if (signatureFailed || last?.broken.some(({ reason }) => reason === 'signature')) return 'failed'
  if (!anchor) return head.size === 0 ? 'none' : 'pending'
  if (oldestUnanchoredAt === undefined) return 'all_verified'
  if (isBehind(now, [anchor.signed_at, oldestUnanchoredAt, head.last_at])) return 'stale'
  return Date.parse(oldestUnanchoredAt) < now - LATE_MS ? 'pending' : 'all_verified'
}

/** Allows a clock skew of `SKEW_MS` between machines. */
const isBehind = (now: number, known: readonly (string | undefined)[]): boolean =>
  known.some((at) => at !== undefined && Date.parse(at) > now + SKEW_MS)

const checkpointView = ({ size, root, signed_at, note }: Anchor) => ({
  size,
  root: Buffer.from(root).toString('base64'),
  signed_at,
  object: 'verified' as const,
  note,
})

function tailResult({ findings, anchor, complete }: Examined): 'valid' | 'broken' | 'partial' {
  if (findings.some(({ sequence }) => sequence >= (anchor?.size ?? 0))) return 'broken'
  return complete ? 'valid' : 'partial'
}
