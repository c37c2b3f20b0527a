import { beforeEach, describe, expect, test } from 'vitest'
import { exports } from '../../../../shared/assure/exports/export.ts'
import { oldest_payloads } from '../../../../shared/assure/compliance-facts.ts'
import { hasRetention, keepRetention } from '../../../../shared/assure/retention/keep-retention.ts'
import { systemContext } from '../../../../shared/base/context.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { given } from '../../../../shared/base/lib/json.ts'
import { onAlarm } from '../../../../shared/base/lib/log.ts'
import { type Retention, retentions } from '../../../../shared/base/tenant/retention.ts'
import type { Plan } from '../../../../shared/base/limits/plans.ts'
import { Tenant, tenants } from '../../../../shared/base/tenant/tenant.ts'
import { type Execution, executions } from '../../../../shared/govern/executions/execution.ts'
import { artifactKey, artifacts, newArtifact } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import { commitWith } from '../../../../shared/ledger/evidence/artifact/record.ts'
import { sealPayload } from '../../../../shared/ledger/sealing/seal.ts'
import { TOTAL, usageSums } from '../../../../shared/ledger/usage/usage-item.ts'
import { sealed as sealedResults } from '../../../../shared/ledger/evidence/verify/results.ts'
import { readState, verifyStateKey, verifyStates } from '../../../../shared/ledger/evidence/verify/verify-state.ts'
import { genesisWrites } from '../../../../shared/ledger/evidence/checkpoint/signing-key.ts'
import { SPACE, TABLE, type World, world } from '../../ledger/evidence/world.ts'
import { DAY, executionAt, HOUR } from '../space.ts'

const PAYLOAD = { note: 'x'.repeat(91) }
/** Sealed under a key that nobody has: what is in it does not matter. */
const ANY_SEALED = Buffer.concat([Buffer.from('v1|default.00|'), Buffer.alloc(100)])
/** As canonical JSON. */
const BYTES = 102

let it: World
let erased: string[]
let alarms: string[]
const commit = (writes: Parameters<World['ctx']['table']['commit']>[0]) => it.ctx.table.commit(writes)
const later = (ms: number) => it.clock.moveTo(it.clock.now() + ms)

/** A tenant that is as old as that, which has kept payloads for so long as its plan gives since. */
async function aged(days: number, plan: Plan = 'free', settings: object = {}) {
  const created_at = iso(it.clock.now() - days * DAY)
  const { tenant_id: id } = SPACE
  await commit([tenants.insert(Tenant.parse({ id, name: 'Acme', plan, status: 'active', created_at, settings }))])
}
const change = async (over: Partial<Tenant>) => {
  const was = await it.ctx.table.get(tenants, { id: SPACE.tenant_id })
  if (was) await commit([tenants.replace({ ...was, ...over }, was)])
}
const keepNow = (ctx = it.ctx) =>
  keepRetention(ctx, async (_, ids) => {
    erased.push(...ids)
  })
/** After the full pass of the day. */
async function keep(ctx = it.ctx) {
  await passed()
  await keepNow(ctx)
}
async function passed(result: 'valid' | 'broken' = 'valid') {
  const at = iso(it.clock.now())
  const retention = artifactsOf('evidence.retention.changed')
    .map(({ artifact_id }): string => artifact_id)
    .toSorted()
    .at(-1)
  const last_full = { began_at: at, at, size: 1, result, broken: [], ...given({ retention }) }
  const was = await readState(it.ctx)
  const next = { ...verifyStateKey(SPACE), ...(await sealedResults(it.ctx, { last_full })) }
  await commit([was ? verifyStates.replace(next, was) : verifyStates.insert(next)])
}
/** States what the plan gives, and lets its grace go by. */
async function inForce() {
  await keep()
  later(30 * DAY + HOUR)
}
/** Whole days from now on: the clock moves a little where transactions collide. */
const daysTo = (at = '') => Math.round((Date.parse(at) - it.clock.now()) / DAY)
const stated = async (): Promise<Retention & { _v: number }> => {
  const found = await it.ctx.table.get(retentions, SPACE)
  if (!found) throw new Error('nothing is stated')
  return found
}

/** An action with a sealed payload and the artifact that commits to it, so many days ago. */
async function ran(daysAgo: number, over: Partial<Execution> = {}): Promise<string> {
  const at = it.clock.now() - daysAgo * DAY
  const made = executionAt(at, over)
  const { sealed, commitment } = await sealPayload(SPACE, executions.key(made), 'payload', PAYLOAD)
  const subject = { type: 'execution', id: made.id }
  const facts = { type: 'protocol.executed', subject, request_id: made.id, payload_commitment: commitment, at } as const
  const artifact = newArtifact(it.ctx, facts)
  const own = { artifact_id: artifact.artifact_id, type: artifact.type, hash: artifact.hash, at: iso(at) }
  await commit([
    executions.insert({ ...made, payload: sealed, artifacts: [...(over.artifacts ?? []), own] }),
    ...commitWith(it.ctx, [{ artifact }]),
  ])
  return made.id
}
const find = async (id: string) => it.ctx.table.get(executions, { ...SPACE, id })
const hasPayload = async (id: string) => (await find(id))?.payload !== undefined
const mails = () =>
  it.table.items(TABLE).flatMap((item) => (item._type?.S === 'OUTBOX' ? (item.mails?.L ?? []) : [])).length
const artifactsOf = (type: string) =>
  it.table
    .items(TABLE)
    .filter((item) => item._type?.S === 'EV')
    .map((item) => JSON.parse(item.header?.S ?? '{}'))
    .filter((header) => header.type === type)

beforeEach(async () => {
  it = world()
  await commit(await genesisWrites(SPACE.tenant_id, it.clock.now()))
  erased = []
  alarms = []
  onAlarm((event) => alarms.push(event))
})

describe('payloads past their time', () => {
  test('go with their own evidence each, and what depends on them hears of it', async () => {
    await aged(800)
    const [old, young] = [await ran(400), await ran(300)]
    await inForce()
    await keep()

    expect([await hasPayload(old), await hasPayload(young)]).toEqual([false, true])
    expect(erased).toEqual([old])
    const [header, ...others] = artifactsOf('evidence.payload.erased')
    expect(others).toEqual([])
    expect(header).toMatchObject({
      request_id: old,
      actor: { kind: 'system' },
      data: { reason: 'retention', retention_days: 365 },
    })
    const artifact_id = (await find(old))?.artifacts[0]?.artifact_id ?? ''
    expect((await it.ctx.table.get(artifacts, artifactKey(SPACE, artifact_id)))?.erased_by).toBe(header.artifact_id)
  })

  test('are counted as stored no more', async () => {
    await aged(800)
    await ran(400)
    await ran(401)
    await inForce()
    await keep()
    expect((await it.ctx.table.get(usageSums, { ...SPACE, sk: TOTAL }))?.storage_bytes).toBe(-2 * BYTES)
  })

  test('go in as many transactions as it takes, over months and all parts of the list', async () => {
    await aged(800)
    const ids: string[] = []
    for (let index = 0; index < 120; index += 1) ids.push(await ran(370 + index * 3))
    await inForce()
    await keep()
    expect((await Promise.all(ids.map(hasPayload))).filter(Boolean)).toEqual([])
    expect(artifactsOf('evidence.payload.erased')).toHaveLength(120)
  })

  test('go once, wherever a run dies', async () => {
    await aged(500)
    const ids = [await ran(400), await ran(401), await ran(402)]
    await inForce()
    let runs = 0
    for (let died = true; died; runs += 1) {
      let calls = 0
      died = false
      it.table.hooks.before = () => {
        calls += 1
        if (calls <= runs) return
        died = true
        throw new Error('the process died')
      }
      await keep().catch(() => undefined)
    }
    it.table.hooks = {}

    expect(runs).toBeGreaterThan(10)
    expect((await Promise.all(ids.map(hasPayload))).filter(Boolean)).toEqual([])
    expect(artifactsOf('evidence.payload.erased')).toHaveLength(3)
    expect((await it.ctx.table.get(usageSums, { ...SPACE, sk: TOTAL }))?.storage_bytes).toBe(-3 * BYTES)
  })

  test('wait for an action that ended later than it began, and go then', async () => {
    await aged(800)
    const ended = { artifact_id: 'art_01J9Z3K4M5N6P7Q8R9S0T1V2W3', type: 'approval.approved', hash: 'sha256:d' }
    const id = await ran(336, { artifacts: [{ ...ended, at: iso(it.clock.now() - 334 * DAY) }] })
    await inForce()
    await keep()
    const { waiting, next_at } = await stated()
    expect(waiting.map((one) => [one.id, daysTo(one.at)])).toEqual([[id, 1]])
    expect([await hasPayload(id), next_at]).toEqual([true, waiting[0]?.at])

    later(DAY + HOUR)
    await keep()
    expect([await hasPayload(id), (await stated()).waiting]).toEqual([false, []])
  })

  test('are read no further while too many wait, and go when these have ended', async () => {
    await aged(800)
    const all = Array.from({ length: 300 }, () =>
      executionAt(it.clock.now() - 400 * DAY, { status: 'executing', payload: ANY_SEALED, artifacts: [] }),
    )
    const inTurn = async (writes: Parameters<typeof commit>[0]) => {
      for (let from = 0; from < writes.length; from += 100) await commit(writes.slice(from, from + 100))
    }
    await inTurn(all.map((one) => executions.insert(one)))
    await inForce()
    await keep()
    expect((await stated()).waiting.length).toBeGreaterThan(100)
    expect((await stated()).waiting.length).toBeLessThanOrEqual(200)

    await inTurn(all.map((one) => executions.replace({ ...one, status: 'executed' }, { _v: 1 })))
    later(DAY + HOUR)
    await keep()
    expect((await stated()).waiting).toEqual([])
    expect((await Promise.all(all.map(({ id }) => hasPayload(id)))).filter(Boolean)).toEqual([])
  })

  test('of actions that somebody changes meanwhile are looked at again in the next hour', async () => {
    await aged(800)
    const id = await ran(400)
    await inForce()
    it.table.hooks.before = async ({ name, input }) => {
      if (name !== 'TransactWriteItems' || !JSON.stringify(input).includes('retention_days')) return
      it.table.hooks = {}
      const was = await find(id)
      if (was) await commit([executions.replace({ ...was, retries: 1 }, was)])
    }
    await keep()
    expect(await hasPayload(id)).toBe(true)
    await keep()
    expect(await hasPayload(id)).toBe(false)
  })

  test('wait until a pack with payloads is made', async () => {
    await aged(800)
    const id = await ran(400)
    await inForce()
    const at = iso(it.clock.now())
    const pack = {
      ...SPACE,
      id: 'exp_1',
      status: 'processing' as const,
      ask: { type: 'evidence' as const, include_payloads: true },
      requested_by: { type: 'system' as const, id: 'system' },
      requested_at: at,
      artifact: { id: 'art_1', hash: 'sha256:a' },
      attempt: 0,
    }
    await commit([exports.insert(pack)])
    await keep()
    const waits = Date.parse((await stated()).next_at) - it.clock.now()
    expect([await hasPayload(id), Math.round(waits / HOUR)]).toEqual([true, 1])

    await commit([exports.replace({ ...pack, status: 'ready' }, { _v: 1 })])
    await keep()
    expect(await hasPayload(id)).toBe(false)
  })

  test('are looked for in no month twice once it is over', async () => {
    await aged(2_000)
    await ran(1_900)
    await inForce()
    await keep()
    const months = new Set<string>()
    it.table.hooks.after = ({ name, input }) => {
      const [, month] = /#EXECS#(\d{4}-\d{2})#/.exec(JSON.stringify(input)) ?? []
      if (name === 'Query' && month !== undefined) months.add(month)
    }
    later(DAY + HOUR)
    await keep()
    expect(months).toEqual(new Set([iso(it.clock.now() - 365 * DAY).slice(0, 7)]))
  })
})

describe('the hourly look', () => {
  test('concerns no tenant that is younger than the shortest time, less the grace', async () => {
    await aged(332)
    expect(await hasRetention(it.ctx)).toBe(false)
    later(DAY)
    expect(await hasRetention(it.ctx)).toBe(true)
  })

  test('reads two items in one call where nothing is due', async () => {
    await aged(800)
    await inForce()
    await keep()
    const calls: string[] = []
    it.table.hooks.after = ({ name }) => void calls.push(name)
    expect(await hasRetention(it.ctx)).toBe(false)
    expect(calls).toEqual(['BatchGetItem'])
  })

  test('acts a day later, and as soon as plan or setting give something else', async () => {
    await aged(800)
    await inForce()
    await keep()
    later(DAY - HOUR)
    expect(await hasRetention(it.ctx)).toBe(false)
    await change({ plan: 'business' })
    expect(await hasRetention(it.ctx)).toBe(true)
    await change({ plan: 'free' })
    later(HOUR)
    expect(await hasRetention(it.ctx)).toBe(true)
  })
})

describe('what is stated', () => {
  test('is in the chain with its grace, of which owners get a mail', async () => {
    await aged(800, 'business')
    await inForce()
    const before = mails()
    await change({ plan: 'team' })
    await keep()
    const { grace } = await stated()
    expect([grace?.days, daysTo(grace?.until)]).toEqual([2_190, 30])
    const data = { days: 365, grace_days: 2_190, grace_until: grace?.until }
    expect(artifactsOf('evidence.retention.changed')).toContainEqual(expect.objectContaining({ data }))
    expect(mails()).toBe(before + 1)
  })

  test('of a lower plan removes nothing before the end of its grace; a higher one ends it', async () => {
    await aged(800, 'business')
    const id = await ran(700)
    await inForce()
    await change({ plan: 'team' })
    await keep()
    later(30 * DAY - HOUR)
    await keep()
    expect(await hasPayload(id)).toBe(true)

    await change({ plan: 'business' })
    await keep()
    later(DAY)
    await keep()
    expect([await hasPayload(id), (await stated()).grace]).toEqual([true, undefined])
  })

  test('for the first time takes nothing from a young tenant, and sends no mail', async () => {
    await aged(334)
    await keep()
    expect([(await stated()).grace?.days, mails()]).toEqual([2_555, 0])
  })

  test('for the first time of an old tenant, and only for its live data, is a mail', async () => {
    await aged(800)
    await keep(systemContext({ ...SPACE, mode: 'test' }))
    expect(mails()).toBe(0)
    await keep()
    expect(mails()).toBe(1)
  })
})

describe('payloads that should be gone', () => {
  const overdue = async () =>
    (await oldest_payloads({ ctx: it.ctx, now: it.clock.now(), since: 0 })).map(({ id, until }) => [id, daysTo(until)])

  test('are told where the removal stands still, counted from the end of a grace', async () => {
    await aged(800)
    const id = await ran(500)
    await inForce()
    later(2 * DAY)
    expect(await overdue()).toEqual([[id, -2]])
    await keep()
    expect(await overdue()).toEqual([])
  })

  test('are told where somebody wrote that the list was read', async () => {
    await aged(800)
    const id = await ran(500)
    await inForce()
    const was = await stated()
    await commit([retentions.replace({ ...was, month: '2026-11' }, was)])
    await keep()
    later(3 * DAY)
    expect(await overdue()).toEqual([[id, -3]])
  })
})

describe('a row that somebody wrote', () => {
  const rewrite = async (over: Partial<Retention>) => {
    const was = await stated()
    await commit([retentions.replace({ ...was, ...over }, was)])
  }

  test.each([
    ['with fewer days', { days: 365 }],
    ['with a grace that is over', { days: 365, grace: { days: 365, until: '2020-01-01T00:00:00.000Z' } }],
    ['with an artifact of something else', { days: 365, artifact_id: 'art_01J9Z3K4M5N6P7Q8R9S0T1V2W3' }],
  ])('%s, under a plan that somebody wrote, removes nothing: a new grace begins', async (_, over) => {
    await aged(800, 'business')
    const id = await ran(700)
    await inForce()
    await change({ plan: 'free' })
    await rewrite(over)
    await keep()
    await keep()
    expect([await hasPayload(id), alarms]).toEqual([true, ['retention_without_evidence']])
    const { grace } = await stated()
    expect([grace?.days, daysTo(grace?.until)]).toEqual([2_555, 30])
  })

  test('without a grace that the chain knows has it all the same', async () => {
    await aged(800, 'business')
    const id = await ran(700)
    await inForce()
    await change({ plan: 'free' })
    await keep()
    await rewrite({ grace: undefined })
    await keep()
    expect(await hasPayload(id)).toBe(true)
  })

  test('that names an earlier statement removes nothing: a new grace begins', async () => {
    await aged(800)
    const id = await ran(400)
    await inForce()
    const early = await stated()
    await change({ plan: 'business' })
    await keep()
    await change({ plan: 'free' })
    await rewrite({ ...early, next_at: iso(it.clock.now()) })
    await keep()
    await keep()
    expect([await hasPayload(id), alarms]).toEqual([true, ['retention_without_evidence']])
    const { grace } = await stated()
    expect([grace?.days, daysTo(grace?.until)]).toEqual([2_555, 30])
  })

  test.for(['an old', 'a forged', 'a broken', 'no'])(
    'is not followed while there is %s result of a full pass',
    async (which) => {
      await aged(800)
      const id = await ran(400)
      await inForce()
      if (which !== 'an old') await passed(which === 'a broken' ? 'broken' : 'valid')
      const { last_full, ...state } = (await readState(it.ctx)) ?? { ...verifyStateKey(SPACE), _v: 0 }
      const forged = last_full && { ...last_full, at: iso(it.clock.now()), retention: 'art_0' }
      if (which === 'a forged') await commit([verifyStates.replace({ ...state, last_full: forged }, state)])
      if (which === 'no') await commit([verifyStates.remove(verifyStateKey(SPACE))])
      await keepNow()
      expect(await hasPayload(id)).toBe(true)
      await keep()
      expect(await hasPayload(id)).toBe(false)
    },
  )

  test('that is gone begins anew, with the longest time', async () => {
    await aged(800)
    const id = await ran(400)
    await inForce()
    await commit([retentions.remove(SPACE)])
    await keep()
    await keep()
    expect([await hasPayload(id), (await stated()).grace?.days]).toEqual([true, 2_555])
  })
})
