// How often a deployed model was right about what people decided, by day.
import * as z from 'zod'
import type { Context, Space } from '../../base/context.ts'
import { iso } from '../../base/lib/clock.ts'
import { entity, key, padded, spaceKey } from '../../base/table/entity.ts'
import type { SumItem } from '../../base/kernel/count.ts'
import { type Interval, wilson } from '../statistics/variance.ts'

const count = z.int().default(0)
const TYPE = 'AGREEMENT'

type Of = { day: string; slot: string; version: number }

const agreementPartition = (space: Space): string => spaceKey(space, TYPE)

export const agreements = entity({
  name: TYPE,
  unbound: 'bounded',
  schema: z.object({ sk: z.string(), n: count, k: count }),
  key: ({ day, slot, version, ...space }: Space & Of) => ({
    pk: agreementPartition(space),
    sk: key(day, slot, padded(version, 6)),
  }),
})

export const agreementItem = (space: Space, of: Of): SumItem => ({ ...agreements.key({ ...space, ...of }), type: TYPE })

export type Agreement = { n: number; live_agreement: number | null; ci95: Interval | null }

/** Of whole days, by `<slot>@<version>`. */
export async function agreementIn(
  { table, space }: Context,
  from: number,
  until: number,
): Promise<Map<string, Agreement>> {
  const [first, last] = [from, until].map((at) => iso(at).slice(0, 10))
  const found = await table.query(agreements, { pk: agreementPartition(space), from: first, to: `${last}~` })
  const byModel = Map.groupBy(found, ({ sk }) => {
    const [, slot = '', version = ''] = sk.split('#')
    return `${slot}@${Number(version)}`
  })
  return new Map([...byModel].map(([model, days]) => [model, shareOf(days)]))
}

function shareOf(days: readonly { n: number; k: number }[]): Agreement {
  const n = days.reduce((sum, day) => sum + day.n, 0)
  const k = days.reduce((sum, day) => sum + day.k, 0)
  return { n, live_agreement: n === 0 ? null : k / n, ci95: wilson({ k, n }) }
}
