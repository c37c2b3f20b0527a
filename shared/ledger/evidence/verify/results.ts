// The results of full passes that the table keeps, and the breaks of a chain that the bucket keeps. Only sealed results count: a
// result that somebody else wrote into the table is ignored. A break is open until a full pass that began after it found the
// chain valid; the table has no say in that.
import type { Context, Space } from '../../../base/context.ts'
import { alarm } from '../../../base/lib/log.ts'
import { isSealed, sealOf } from '../artifact/record.ts'
import { chainName } from '../artifact/hashes.ts'
import { isStale } from './leases.ts'
import { type Completeness, type LastFull, readState, type VerifyState } from './verify-state.ts'
import * as z from 'zod'
import { iso } from '../../../base/lib/clock.ts'
import { padded } from '../../../base/table/entity.ts'
import { Finding } from '../chain/chain.ts'
import { newestLocked, putLocked, readLocked } from '../checkpoint/checkpoint-store.ts'

export type Results = { last_full?: LastFull | undefined; completeness?: Completeness | undefined }

/** Those of the state that the service sealed. The others are alarmed. */
export async function sealedResults(
  { space }: Context,
  { last_full, completeness, last_full_seal, completeness_seal }: Partial<VerifyState> = {},
): Promise<Results> {
  const [isPass, isCheck] = await Promise.all([
    last_full && isSealed(space, 'last-full', last_full, last_full_seal),
    completeness && isSealed(space, 'completeness', completeness, completeness_seal),
  ])
  if (isPass === false || isCheck === false) {
    alarm('evidence.result_forged', new Error('a result of verification is not of the service'), {
      chain: chainName(space),
    })
  }
  return { last_full: isPass ? last_full : undefined, completeness: isCheck ? completeness : undefined }
}

/** The last full pass, unless the next one is overdue. */
export async function freshPass(ctx: Context): Promise<LastFull | undefined> {
  const state = await readState(ctx)
  const { last_full } = await sealedResults(ctx, state)
  return isStale(state, last_full?.at, ctx.now()) ? undefined : last_full
}

/** The results with their seals, as members of the state. A missing result changes nothing. */
export async function sealed({ space }: Context, { last_full, completeness }: Results): Promise<Partial<VerifyState>> {
  return {
    ...(last_full && { last_full, last_full_seal: await sealOf(space, 'last-full', last_full) }),
    ...(completeness && { completeness, completeness_seal: await sealOf(space, 'completeness', completeness) }),
  }
}

const FINDINGS_MAX = 100

/** Breaks and repairs are objects that nobody can change or remove. */
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
