// Breaks of a chain and their repairs, each an object that nobody can change or remove. A break is open until a full pass that
// began after it found the chain valid; what the table says of it does not count.
import * as z from 'zod'
import type { Context, Space } from '../../../base/context.ts'
import { iso } from '../../../base/lib/clock.ts'
import { padded } from '../../../base/table/entity.ts'
import { chainName } from '../artifact/hashes.ts'
import { Finding } from '../chain/chain.ts'
import { newestLocked, putLocked, readLocked } from '../checkpoint/locked-objects.ts'

const FINDINGS_MAX = 100

const Break = z.object({ at: z.string(), detail: z.string(), findings: z.array(Finding) })
export type Break = z.output<typeof Break>

const prefixOf = (space: Space): string => `breaks/${chainName(space)}/`

/** The names sort by time, and a repair after the break of its millisecond. */
const keyOf = (ctx: Context, kind: 'found' | 'repaired'): string =>
  `${prefixOf(ctx.space)}${padded(ctx.now(), 16)}-${kind}.json`

/** The break that was not repaired yet. */
export async function openBreak(space: Space): Promise<Break | undefined> {
  const newest = await newestLocked(prefixOf(space))
  if (!newest?.endsWith('-found.json')) return undefined
  return Break.parse((await readLocked(newest))?.content)
}

/** While one is open, another changes nothing: repairing takes a pass over the whole chain. */
export async function storeBreak(ctx: Context, detail: string, findings: readonly Finding[]): Promise<void> {
  if (await openBreak(ctx.space)) return
  await putLocked(keyOf(ctx, 'found'), { at: iso(ctx.now()), detail, findings: findings.slice(0, FINDINGS_MAX) })
}

export async function storeRepair(ctx: Context, verification_id: string): Promise<void> {
  await putLocked(keyOf(ctx, 'repaired'), { at: iso(ctx.now()), verification_id })
}
