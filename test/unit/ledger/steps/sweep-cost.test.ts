// What a minute of the sweeper costs in a deployment of many tenants.
import { expect, test } from 'vitest'
import { handler as sweep } from '../../../../functions/workers/sweep.ts'
import type { Space } from '../../../../shared/base/context.ts'
import { toAttributes } from '../../../../shared/base/table/entity.ts'
import { headKey, heads } from '../../../../shared/ledger/evidence/chain/chain.ts'
import { signaturesDue } from '../../../../shared/ledger/evidence/chain/advance-chain.ts'
import { ownMinute } from '../../../../shared/base/table/due.ts'
import { type World, TABLE, world } from '../evidence/world.ts'

const TENANTS = 10_000
const DUE = 50
const MINUTE = 60_000

const spaces = Array.from({ length: TENANTS }, (_, index): Space => ({ tenant_id: `ten_${index}`, mode: 'live' }))

/** Chains without artifacts, the first of which wait for a signature that is late. */
function fill({ table, clock }: World): void {
  for (const [index, space] of spaces.entries()) {
    const head = {
      ...headKey(space),
      size: 0,
      last: new Uint8Array(32),
      frontier: [],
      last_block: 0,
      finalized: 0,
      counts: {},
    }
    table.tamper(TABLE, headKey(space), () => toAttributes({ ...head, ...heads.index?.(head), _v: 1 }))
    if (index >= DUE) continue
    const due = { ...space, due_at: new Date(clock.now()).toISOString() }
    const key = signaturesDue.key(space)
    table.tamper(TABLE, key, () => toAttributes({ ...due, ...key, ...signaturesDue.index?.(due), _v: 1 }))
  }
}

/** What the calls of a run ask for, and how many keys indexes give it. */
async function costOf({ table }: World, run: () => Promise<unknown>) {
  const cost = { indexQueries: 0, keys: 0, reads: 0, writes: 0 }
  table.hooks.after = ({ name, input }, answer: { Items?: unknown[] }) => {
    const isIndex = 'IndexName' in input
    if (isIndex) cost.keys += answer.Items?.length ?? 0
    if (isIndex) cost.indexQueries += 1
    else if (/^(Query|GetItem|BatchGetItem)$/.test(name)) cost.reads += 1
    else cost.writes += 1
  }
  await run()
  table.hooks = {}
  return cost
}

test('a sweep of 10,000 tenants reads what is due and the keys of those whose minute it is, and nothing else', async () => {
  const it = world()
  await sweep({})
  fill(it)
  it.clock.moveTo(it.clock.now() + MINUTE)
  const cost = await costOf(it, () => sweep({}))

  const minute = it.clock.now() / MINUTE
  const own = spaces.filter((space) => ownMinute(space) % 60 === Math.floor(minute) % 60).length
  expect(own).toBeLessThan(TENANTS / 40)
  // Due work of two hours, keys that expire today or tomorrow, the minute.
  expect(cost.indexQueries).toBeLessThanOrEqual(16 + 2 + 1)
  expect(cost.keys).toBe(DUE + own)
  expect(cost.reads).toBeLessThanOrEqual(2 + 8 * DUE)
  expect(cost.writes).toBeLessThanOrEqual(2 + DUE)
  expect(it.sqs.messages.length).toBeLessThanOrEqual(Math.ceil(own / 25) + 1)
})
