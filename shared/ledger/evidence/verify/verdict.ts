// Derives the result of a verification from its findings. Pure, so that every case can be tested.
import { iso } from '../../../base/lib/clock.ts'
import type { Finding, Head } from '../chain/chain.ts'
import type { Anchor } from '../checkpoint/checkpoint-store.ts'
import type { Break } from './breaks.ts'
import { brokenLinks } from './follow-block.ts'
import type { LastFull } from './verify-state.ts'

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
export type SignatureStatus = 'all_verified' | 'pending' | 'stale' | 'failed' | 'none'

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

/** A full pass finds again what is broken still. A longer chain waits for one that began after the break was found. */
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
