import { beforeEach, describe, expect, test } from 'vitest'
import { folderPositions } from '../../../../shared/ledger/fold/folder.ts'
import { DAY, HOUR, METRICS_FOLDER, metricsKey, MINUTE } from '../../../../shared/operate/metrics/state.ts'
import { readPeriods, readWindow } from '../../../../shared/operate/metrics/read-window.ts'
import { Service, space, TABLE } from '../../deliver/webhooks/service.ts'
import { counted, dyingAt, logged, measure, RUN } from './space.ts'

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
  Object.assign(process.env, {
    QUEUE_BASE: 'https://sqs.memory/',
    DEPLOYMENT: 'countersign',
  })
})

const later = (ms: number) => it.clock.moveTo(it.clock.now() + ms)
const hourOf = (at: number) => Math.floor(at / HOUR) * HOUR
const dayOf = (at: number) => Math.floor(at / DAY) * DAY
const names = (letter: string) =>
  it.table
    .items(TABLE)
    .flatMap(({ pk, sk }) => (pk?.S === metricsKey(space) && sk?.S?.startsWith(letter) ? [sk.S] : []))
    .toSorted()
const item = (sk: string) => it.table.item(TABLE, { pk: metricsKey(space), sk })
const dueAt = () => it.table.item(TABLE, folderPositions.key({ ...space, folder: METRICS_FOLDER }))?.due_at?.S

/** A run every twenty minutes, counted as it happens. */
async function running(hours: number): Promise<void> {
  for (let run = 0; run < 3 * hours; run += 1) {
    await logged(it, 1)
    later(20 * MINUTE)
    await measure()
  }
}

/** What reading costs, by the kind of items. */
async function ranges(from: number, until: number): Promise<string[]> {
  const asked: string[] = []
  it.table.hooks.before = ({ name, input }) => {
    if (name === 'Query') asked.push(/"([MHD])#\d/.exec(JSON.stringify(input))?.[1] ?? '')
  }
  await readWindow(it.ctx(), { from, until })
  it.table.hooks = {}
  return asked.filter(Boolean)
}

describe('an hour', () => {
  test('gets an item five minutes after its end, and until then is read from its minutes', async () => {
    it.clock.moveTo(hourOf(it.clock.now()) + HOUR - 2 * MINUTE)
    await logged(it, 3)
    later(6 * MINUTE)
    await measure()
    expect([names('M').length, names('H')]).toEqual([1, []])
    expect(await counted(it)).toMatchObject({ 'r.ok': 3 })
    const due = Date.parse(dueAt() ?? '')
    expect(due).toBe(hourOf(it.clock.now()) + 5 * MINUTE + 10_000)

    it.clock.moveTo(due)
    await measure()
    expect(names('H')).toHaveLength(1)
    expect(await counted(it)).toMatchObject({ 'r.ok': 3 })
  })

  test('is written once, not with each minute', async () => {
    await running(2)
    const writes = it.table.stream.filter(({ keys }) => keys.sk?.S === names('H')[0] && keys.pk?.S?.endsWith('#METRIC'))

    expect(writes).toHaveLength(1)
  })

  test('holds its fifty busiest nodes and all others together, in any order of arrival', async () => {
    const start = hourOf(it.clock.now()) + HOUR
    for (let node = 0; node < 60; node += 1) {
      await logged(it, 1 + Math.floor(node / 10), RUN, start + (node % 7) * MINUTE, `node.${node}`)
    }
    it.clock.moveTo(start + HOUR + 10 * MINUTE)
    await measure()

    const hour = item(names('H')[0] ?? '') ?? {}
    const kept = Object.keys(hour).filter((name) => name.startsWith('n.'))
    expect(kept).toHaveLength(51)
    expect(kept).not.toContain('n.node.3')
    expect([hour['n.node.59'], hour['n.~other']]).toEqual([{ N: '6' }, { N: '10' }])
  })
})

describe('a day', () => {
  test('is made of its hours, and a window over it reads neither those nor their minutes', async () => {
    const start = dayOf(it.clock.now()) + DAY
    it.clock.moveTo(start)
    await running(25)

    expect(names('D')).toHaveLength(1)
    expect(item(names('D')[0] ?? '')?.['r.ok']).toEqual({ N: '72' })
    expect(await ranges(start, start + DAY)).toEqual(['D'])
    expect(await counted(it, start)).toMatchObject({ 'r.ok': 75 })
    const points = await readPeriods(it.ctx(), 'D', { from: start, until: start + 25 * HOUR })
    expect(points.map(({ at, counts }) => [at, counts.sum('r.ok')])).toEqual([
      [start, 72],
      [start + DAY, 3],
    ])
  })

  test('includes what comes days later, in its hour as well, without being counted twice', async () => {
    const start = dayOf(it.clock.now()) + DAY
    it.clock.moveTo(start)
    await running(25)
    later(DAY)
    await logged(it, 5, RUN, start + 90 * MINUTE)
    await measure()
    await measure()

    expect(item(names('D')[0] ?? '')?.['r.ok']).toEqual({ N: '77' })
    expect(item(names('H')[1] ?? '')?.['r.ok']).toEqual({ N: '8' })
    for (const [from, until] of [
      [0, DAY],
      [HOUR, 2 * HOUR],
      [80 * MINUTE, 26 * HOUR],
    ] as const) {
      await counted(it, start + from, start + until)
    }
    expect(dueAt()).toBe(undefined)
  })
})

test('a roll-up counts nothing twice and leaves nothing out wherever its worker dies', async () => {
  for (let call = 1, died = true; died; call += 1) {
    it = new Service()
    await it.start()
    it.clock.moveTo(dayOf(it.clock.now()) + DAY - 90 * MINUTE)
    await logged(it, 4)
    later(HOUR)
    await logged(it, 3)
    later(2 * MINUTE)
    await measure()
    it.clock.moveTo(dayOf(it.clock.now()) + DAY + 10 * MINUTE)
    died = await dyingAt(it, call, measure)

    const start = it.clock.now() - 3 * HOUR
    expect((await counted(it, start))['r.ok'], `died at call ${call}`).toBe(7)
    await Promise.all([measure(), measure()])
    expect((await counted(it, start))['r.ok'], `died at call ${call}`).toBe(7)
    expect(names('D'), `died at call ${call}`).toHaveLength(1)
    expect(call).toBeLessThan(60)
  }
})

test('an hour to which somebody adds while it is rolled up is not written without that', async () => {
  const start = hourOf(it.clock.now()) + HOUR
  await logged(it, 4, RUN, start)
  it.clock.moveTo(start + HOUR + 2 * MINUTE)
  await measure()
  it.clock.moveTo(start + HOUR + 10 * MINUTE)
  const send = it.table.send.bind(it.table)
  let isMet = false
  it.table.send = async (call) => {
    const answer = await send(call)
    if (!isMet && call.name === 'Query' && JSON.stringify(call.input).includes('"M#')) {
      isMet = true
      await logged(it, 3, RUN, start + MINUTE)
      await measure()
    }
    return answer
  }
  await measure()

  expect(isMet).toBe(true)
  expect(item(names('H')[0] ?? '')?.['r.ok']).toEqual({ N: '7' })
  expect(await counted(it, start)).toMatchObject({ 'r.ok': 7 })
})
