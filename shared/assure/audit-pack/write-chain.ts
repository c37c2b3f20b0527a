// Writes the part of the chain that belongs to a window, as a pack of its own, and lets the comparison see it.
import type { Context } from '../../base/context.ts'
import { headKey, heads } from '../../ledger/evidence/chain/chain.ts'
import { newestCheckpoints } from '../../ledger/evidence/chain/read-chain.ts'
import { hex } from '../../ledger/evidence/artifact/hashes.ts'
import { type Origin, signedState } from '../exports/pack/log.ts'
import { type PackRange, rangeOf, readRange } from '../exports/pack/range.ts'
import type { Window } from '../exports/window.ts'
import { ARTIFACTS_MAX, writePack } from '../exports/pack/write-pack.ts'
import type { Archive } from './archive.ts'
import { AUDIT, type AuditManifest } from './manifest.ts'
import type { Comparison } from './comparison.ts'

/** The newest state of the chain. `signed`: up to the newest checkpoint; else the rest, too, although nobody signed it. */
export async function headOf(ctx: Context, origin: Origin, signed: boolean): Promise<AuditManifest['head']> {
  const head = signed ? undefined : await ctx.table.get(heads, headKey(ctx.space))
  if (head) return { size: head.size, last: hex(head.last) }
  const [newest] = await newestCheckpoints(ctx, 1)
  const { size, link } = await signedState(ctx, origin, newest?.size ?? 0)
  return { size, last: hex(link) }
}

type Chain = {
  ctx: Context
  origin: Origin
  window: Window
  /** Of the chain. */
  size: number
  /** When (ms) the archive is made. */
  at: number
  /** Whether the archive is to hold it. */
  included: boolean
}

/** The pack that was written, and the hash of its manifest. Undefined when there is none. */
export async function writeChain(chain: Chain, archive: Archive, comparison: Comparison) {
  const { ctx, origin, window, size, at, included } = chain
  const range = await rangeOf(ctx, size, { type: 'evidence', ...window, include_payloads: false })
  if (range.to - range.from > ARTIFACTS_MAX) {
    archive.omit(omission(tooLarge(range)))
    return undefined
  }
  if (included) {
    const plan = { ...range, include_payloads: false, at }
    const { sha256 } = await writePack(ctx, archive, plan, { folder: AUDIT.chain, see: comparison.see })
    return { ...range, manifest_sha256: sha256 }
  }
  const { block } = await signedState(ctx, origin, range.from)
  for await (const positions of readRange(ctx, range, block)) await comparison.see(positions)
  archive.omit(omission('not_requested'))
  return undefined
}

const omission = (reason: string) => ({ path: AUDIT.chain, evidence_id: null, reason })

const tooLarge = ({ from, to }: PackRange) =>
  `too_large: fetch sequences ${from} to ${to - 1} in parts with POST /api/evidence/exports`
