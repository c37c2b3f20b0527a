// A sign-in whose first factor was correct and whose second factor is pending. It belongs to one interaction, expires after
// five minutes and allows five attempts. No token or session has been issued yet.
import * as z from 'zod'
import type { Context } from '../../base/context.ts'
import type { Table } from '../../base/table/table.ts'
import { isFirst } from '../../base/kernel/retry.ts'
import { artefacts, named } from '../artefacts/artefact.ts'
import { find, put, remove } from '../artefacts/store.ts'

const MODEL = 'HalfSignIn'
const LIFE_SECONDS = 300
const TRIES_MAX = 5

const HalfSignIn = z.object({
  user_id: z.string(),
  method: z.enum(['password', 'sso']),
  amr: z.array(z.string()),
  score: z.number(),
  country: z.string().nullable(),
  session_cap: z.string().optional(),
  slo_key: z.string().optional(),
  /** ms. */
  began_at: z.int(),
})
export type HalfSignIn = z.output<typeof HalfSignIn>

export async function keepHalf(ctx: Context, uid: string, payload: HalfSignIn): Promise<void> {
  const exp = Math.floor(payload.began_at / 1_000) + LIFE_SECONDS
  const { tenant_id } = ctx.space
  await ctx.table.commit([put(ctx.table, { model: MODEL, id: uid, payload, exp, facts: { tenant_id } })])
}

export async function findHalf(table: Table, uid: string): Promise<HalfSignIn | undefined> {
  const payload = await find(table, MODEL, uid)
  return payload && HalfSignIn.parse(payload)
}

/** Uses one of the attempts; false when none is left. To be called before the factor is compared. */
export async function takeTry(table: Table, uid: string): Promise<boolean> {
  const condition = {
    expression: 'attribute_exists(pk) AND (attribute_not_exists(#tries) OR #tries < :max)',
    values: { ':max': TRIES_MAX },
  }
  return isFirst(table.commit([artefacts.update(named(MODEL, uid), { add: { tries: 1 }, condition })]))
}

export const forgetHalf = (uid: string) => remove(MODEL, uid)
