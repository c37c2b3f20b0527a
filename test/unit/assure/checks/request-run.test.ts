import { Failure } from '../../../../shared/base/lib/failure.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { type CheckRun, checkRuns, type RunAsk, runQueues } from '../../../../shared/assure/checks/run.ts'
import { SPACE } from '../../ledger/evidence/world.ts'
import { type CheckedSpace, checkedSpace } from '../space.ts'

let it: CheckedSpace
beforeEach(async () => {
  it = await checkedSpace()
})

const ask = (asked?: Parameters<CheckedSpace['ask']>[0]) => it.ask(asked)
const perform = (id: string) => it.perform(id)

const runs = (): Promise<CheckRun[]> =>
  it.ctx.table.query(checkRuns, { pk: `T#${SPACE.tenant_id}#live#CHKRUNS`, prefix: 'run_' })
const queue = async () => it.ctx.table.get(runQueues, SPACE)
const sent = () => it.sqs.messages.map(({ body }) => JSON.parse(body))

describe('a run', () => {
  test('is stored, named to the worker, and found by the sweeper should that message be lost', async () => {
    const run = await ask()

    expect(await runs()).toEqual([expect.objectContaining({ id: run.id, status: 'queued', trigger: 'manual' })])
    expect(sent()).toEqual([{ ...SPACE, run_id: run.id }])
    expect(Date.parse(run.due_at ?? '')).toBeGreaterThan(it.clock.now())
  })

  test('asked for by a person names that person', async () => {
    it.ctx.principal = { ...it.ctx.principal, kind: 'user', id: 'usr_1' }

    expect((await ask()).requested_by).toEqual({ type: 'user', id: 'usr_1' })
  })

  test('is one although two ask for it at once', async () => {
    const [one, other] = await Promise.all([ask(), ask()])

    expect(one.id).toBe(other.id)
    expect(await runs()).toHaveLength(1)
  })

  test('of one slot of the schedule is one however often it is asked for', async () => {
    const slot = { trigger: 'schedule', scope: 'hourly', id: 'run_01J9Z3K4M5N6P7Q8R9S0T1V2W4' } as const
    await ask(slot)
    await ask(slot)
    await perform(slot.id)
    await ask(slot)

    expect(await runs()).toEqual([expect.objectContaining({ id: slot.id, status: 'completed' })])
  })
})

describe('while a run is open', () => {
  test('a manual request gets that one and asks for nothing more', async () => {
    const open = await ask({ trigger: 'schedule', scope: 'hourly' })

    expect((await ask({ scope: ['EVD-06'] })).id).toBe(open.id)
    expect((await queue())?.next).toBeUndefined()
  })

  test('what else is asked for is done by one run that follows it', async () => {
    const open = await ask({ trigger: 'schedule', scope: 'hourly' })
    await ask({ trigger: 'evidence', scope: ['IAM-08'] })
    await ask({ trigger: 'evidence', scope: ['OPS-06', 'IAM-08'] })
    await perform(open.id)
    const [follower] = (await runs()).filter(({ status }) => status === 'queued')

    expect(follower).toMatchObject({ trigger: 'evidence', scope: ['IAM-08', 'OPS-06'] })
    expect(sent().at(-1)).toEqual({ ...SPACE, run_id: follower?.id })
    expect(await queue()).toEqual(expect.objectContaining({ open: follower?.id }))
    expect((await queue())?.next).toBeUndefined()
  })

  test('an export waits for a full run that begins after it was asked for', async () => {
    const open = await ask({ trigger: 'schedule', scope: 'full' })
    await ask({ trigger: 'export', scope: 'full', export_id: 'exp_1' })
    await perform(open.id)
    expect(sent().filter(({ id }) => id === 'exp_1')).toEqual([])
    const next = (await queue())?.open ?? ''
    await perform(next)

    expect(sent().filter(({ id }) => id === 'exp_1')).toHaveLength(1)
  })

  test.each<[Partial<RunAsk>, Partial<RunAsk>, Partial<RunAsk>]>([
    [{ scope: 'hourly' }, { scope: 'full' }, { scope: 'full' }],
    [{ scope: 'hourly' }, { scope: ['OPS-06'] }, { scope: 'full' }],
    [{ trigger: 'enable' }, { trigger: 'schedule' }, { trigger: 'enable' }],
    [{ trigger: 'schedule' }, { trigger: 'export' }, { trigger: 'export' }],
  ])('%j and %j make %j', async (one, other, both) => {
    await ask({ trigger: 'schedule', scope: 'hourly' })
    for (const { trigger = 'schedule', scope = 'full' } of [one, other]) await ask({ trigger, scope })

    expect((await queue())?.next).toMatchObject(both)
  })
})

describe('manual runs', () => {
  const another = async () => perform((await ask()).id)

  test('are six within an hour; the seventh is told when the first of them is an hour old', async () => {
    for (let minute = 0; minute < 6; minute += 1) {
      await another()
      it.clock.moveTo(it.clock.now() + 60_000)
    }

    const refusal: unknown = await ask().catch((error: unknown) => error)
    expect(refusal).toMatchObject({ kind: 'rate_limited' })
    const seconds = refusal instanceof Failure ? (refusal.options.retryAfterSeconds ?? 0) : 0
    expect(Math.round(seconds / 60)).toBe(54)
    it.clock.moveTo(it.clock.now() + seconds * 1_000)
    await expect(another()).resolves.toBeUndefined()
    await expect(ask()).rejects.toMatchObject({ kind: 'rate_limited' })
  })

  test('leave the others alone: of those there may be any number', async () => {
    for (let made = 0; made < 8; made += 1) {
      await perform((await ask({ trigger: 'evidence', scope: ['IAM-08'] })).id)
    }

    expect(await runs()).toHaveLength(8)
  })
})

describe('a run that no worker finishes', () => {
  test('is tried five times, then fails, and lets the next one begin', async () => {
    const run = await ask()
    it.table.hooks.before = ({ name, input }) => {
      if (name === 'TransactWriteItems' && JSON.stringify(input).includes('compliance.run.completed'))
        throw new Error('down')
    }
    for (let attempt = 0; attempt < 5; attempt += 1) {
      await expect(perform(run.id)).rejects.toThrow('down')
      await perform(run.id) // leased
      it.clock.moveTo(it.clock.now() + 3 * 60_000)
    }
    await perform(run.id)
    it.table.hooks.before = undefined

    expect(await runs()).toEqual([expect.objectContaining({ status: 'failed', attempt: 5 })])
    expect((await ask()).id).not.toBe(run.id)
  })
})
