import * as fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { actorsOf, conducts } from '../../../../shared/ledger/conduct/conduct.ts'
import { conductIn } from '../../../../shared/ledger/conduct/count.ts'
import { append, type Commit } from '../../../../shared/ledger/events/relay.ts'
import { outbox, outboxKey, packEvents, unpackEvents } from '../../../../shared/ledger/events/outbox.ts'
import type { Measure } from '../../../../shared/base/catalog/measures.ts'
import { Service, space } from '../../deliver/webhooks/service.ts'
import { autoExecution } from '../events/auto-execution.ts'

describe('the conduct of a request belongs to', () => {
  const key = { type: 'api_key', id: 'key_1' }

  test.each([
    ['the agent that its credential is bound to', { ...key, agent_id: 'a', agent_bound: true }, ['agent:a']],
    ['the key', key, ['key:key_1']],
    ['the client', { type: 'client', id: 'oac_1' }, ['client:oac_1']],
    ['the key, and the agent that it names', { ...key, agent_id: 'a' }, ['key:key_1', 'key:key_1/a']],
    ['a person in the name of an agent', { type: 'user', id: 'usr_1', agent_id: 'a' }, ['user:usr_1/a']],
    ['nobody, where a person asks', { type: 'user', id: 'usr_1' }, []],
    ['nobody, where the service asks', { type: 'system', id: 'system' }, []],
  ])('%s', (_, requester, actors) => {
    expect(actorsOf(requester)).toEqual(actors)
  })

  test('nobody else than the credential, whatever the request names', () => {
    fc.assert(
      fc.property(fc.string(), (agent_id) => {
        for (const actor of actorsOf({ ...key, agent_id })) expect(actor).toMatch(/^key:key_1(?:\/|$)/)
      }),
    )
  })
})

describe('commits', () => {
  let it: Service
  beforeEach(async () => {
    it = new Service()
    await it.start()
  })

  async function committed(measures: Measure[], at = it.clock.now()): Promise<Commit> {
    const ctx = it.ctx(space)
    const item = { ...outboxKey(space, ctx.id('x').slice(2)), events: packEvents(autoExecution(), measures), at }
    await ctx.table.commit([outbox.insert(item)])
    return { item, ...unpackEvents(item.events) }
  }

  const conductOf = async (actor: string) => it.ctx(space).table.get(conducts, { ...space, actor })

  test('count once, however often and in whatever order they are delivered', async () => {
    const commits = await Promise.all([
      committed([['k', 0, 'agent:a']]),
      committed([
        ['k', 1, 'agent:a'],
        ['k', 0, 'agent:a'],
      ]),
      committed([['k', 2, 'agent:a']]),
      committed([['k', 5, 'agent:a', 'key:b']]),
    ])
    const [one, two, three, four] = commits

    await append(it.ctx(space), [two, one, one])
    await append(it.ctx(space), [one, four, three, two])
    await append(it.ctx(space), commits)

    expect(await conductOf('agent:a')).toMatchObject({
      executions: 2,
      approvals: 1,
      rejected: 1,
      undone: 0,
      failed: 0,
      violations: 1,
      days: [{ ok: 2, rejected: 1, violations: 1, failed: 0, undone: 0 }],
    })
    expect(await conductOf('key:b')).toMatchObject({ executions: 0, violations: 1 })
  })

  test('keep 31 days of an actor, and its totals for ever', async () => {
    const start = it.clock.now()
    for (let day = 0; day < 40; day += 1)
      await append(it.ctx(space), [await committed([['k', 3, 'key:b']], start + day * 86_400_000)])

    const conduct = await conductOf('key:b')

    expect(conduct).toMatchObject({ failed: 40, first_at: new Date(start).toISOString() })
    expect(conduct?.days).toHaveLength(31)
  })

  test('are counted for an agent of any name', async () => {
    await append(it.ctx(space), [await committed([['k', 0, 'key:b/a#\uD800']])])

    expect(await conductOf('key:b/a#\uD800')).toMatchObject({ executions: 1 })
  })

  test('name the requester by their events in the first transaction of an execution', () => {
    const events = autoExecution()
    const asked = events.find((event) => event.type === 'action.requested')
    const { requested_by, agent_id } = asked?.data ?? { requested_by: '', agent_id: '' }
    const said = (bound: 0 | 1) =>
      conductIn({
        at: 0,
        events,
        measures: [
          ['d', 0, 0, 1, bound, 2],
          ['k', 0],
        ],
      })

    expect(said(1).map(({ actor }) => actor)).toEqual([`agent:${agent_id}`])
    expect(said(0).map(({ actor }) => actor)).toEqual([`key:${requested_by}`, `key:${requested_by}/${agent_id}`])
  })

  test('that state other figures, or none that are known, add nothing', () => {
    const measures = [['d', 0, 0, 1, 0, 2], ['k', 99, 'key:b'], ['k'], 'k', null]

    expect(conductIn({ at: 0, events: [], measures })).toEqual([])
  })
})
