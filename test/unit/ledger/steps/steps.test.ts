import { beforeEach, describe, expect, test } from 'vitest'
import { type Context, systemContext } from '../../../../shared/base/context.ts'
import { enqueueSteps, StepMessage } from '../../../../shared/ledger/steps/enqueue.ts'
import { newestSlot, type Period, runStep } from '../../../../shared/ledger/steps/run-step.ts'
import { foundedWorld, SPACE, TABLE, type World } from '../evidence/world.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

let it: World
beforeEach(async () => {
  it = await foundedWorld()
})

const later = (ms: number) => it.clock.moveTo(it.clock.now() + ms)
const sweep = () => enqueueSteps(it.ctx.table)
const sent = () => it.sqs.messages.map(({ body }) => StepMessage.parse(JSON.parse(body)))

const sentFor = (every: Period) => sent().flatMap((message) => (message.every === every ? message.spaces : [])).length
/** Of the one tenant: live and test. */
const SPACES = 2

/** Runs every message as a step that notes when it ran. */
async function workOff(ran: string[]): Promise<void> {
  for (const { every, spaces } of sent()) {
    for (const space of spaces) {
      const name = every === 'hour' ? 'hourly' : 'daily'
      await runStep(systemContext(space), name, { every, run: async () => void ran.push(`${space.mode} ${name}`) })
    }
  }
}

describe('the minute sweeper', () => {
  test('sends every space once an hour and once a day', async () => {
    await sweep()
    it.sqs.messages.length = 0
    for (let quarter = 0; quarter < 96; quarter += 1) {
      later(DAY / 96)
      await sweep()
    }

    expect([sentFor('hour'), sentFor('day')]).toEqual([24 * SPACES, SPACES])
  })

  test('makes up for days without it, with one message each', async () => {
    await sweep()
    it.sqs.messages.length = 0
    later(5 * DAY)
    await sweep()
    await sweep()

    expect([sentFor('hour'), sentFor('day')]).toEqual([SPACES, SPACES])
  })

  test('makes up for minutes without it', async () => {
    it.clock.moveTo(newestSlot(SPACE, 'hour', it.clock.now()) + HOUR - 60_000)
    await sweep()
    it.sqs.messages.length = 0
    later(7 * 60_000)
    await sweep()

    expect(sent().flatMap(({ spaces }) => spaces)).toContainEqual(SPACE)
  })

  test('sends again what the queue did not take', async () => {
    await sweep()
    it.sqs.messages.length = 0
    later(DAY)
    it.table.hooks.before = ({ name, input }) => {
      if (name === 'UpdateItem' && JSON.stringify(input).includes('STEPS')) throw new Error('down')
    }
    await expect(sweep()).rejects.toThrow('down')
    it.table.hooks.before = undefined
    await sweep()

    expect(sentFor('day')).toBe(2 * SPACES)
  })
})

describe('a step', () => {
  test('runs once although two sweepers send it at once', async () => {
    await sweep()
    later(DAY)
    it.sqs.messages.length = 0
    await Promise.all([sweep(), sweep()])
    const ran: string[] = []
    await workOff(ran)

    expect(sentFor('day')).toBe(2 * SPACES)
    expect(ran.toSorted()).toEqual(['live daily', 'live hourly', 'test daily', 'test hourly'])
  })

  test('stores nothing for a space that it does not concern', async () => {
    let ran = false
    const run = async () => void (ran = true)
    await runStep(it.ctx, 'sample', { every: 'hour', concerns: async () => false, run })

    expect(ran).toBe(false)
    expect(it.table.calls).not.toHaveProperty('UpdateItem')
    expect(it.table.items(TABLE).filter(({ _type }) => _type?.S === 'STEP')).toEqual([])
  })

  const hourly = (run: (ctx: Context, slots: readonly number[]) => Promise<void>) =>
    runStep(it.ctx, 'sample', { every: 'hour', run })

  test('runs once although two workers have it at once', async () => {
    const runs: (readonly number[])[] = []
    const run = async (_: Context, slots: readonly number[]) => void runs.push(slots)
    await Promise.all([hourly(run), hourly(run), hourly(run)])

    expect(runs).toEqual([[newestSlot(SPACE, 'hour', it.clock.now())]])
  })

  test('catches up every hour of a gap of five', async () => {
    const slots: number[] = []
    const run = async (_: Context, open: readonly number[]) => void slots.push(...open)
    await hourly(run)
    later(5 * HOUR)
    await hourly(run)
    await hourly(run)

    expect(slots).toHaveLength(6)
    expect(slots.slice(1).map((slot, index) => slot - (slots[index] ?? 0))).toEqual([HOUR, HOUR, HOUR, HOUR, HOUR])
  })

  test('that fails is tried again, and one whose worker died once its lease has ended', async () => {
    const fails = async () => {
      throw new Error('no answer')
    }
    await expect(hourly(fails)).rejects.toThrow('no answer')
    let ran = 0
    const run = async () => void (ran += 1)
    void hourly(() => new Promise(() => {})) // dies
    await new Promise((resolve) => setImmediate(resolve))
    await hourly(run)
    expect(ran).toBe(0)
    later(6 * 60_000)
    await hourly(run)

    expect(ran).toBe(1)
  })
})
