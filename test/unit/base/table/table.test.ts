import { TransactionCanceledException, TransactionConflictException } from '@aws-sdk/client-dynamodb'
import * as fc from 'fast-check'
import * as z from 'zod'
import { beforeEach, describe, expect, test } from 'vitest'
import { conflict, notFound } from '../../../../shared/base/lib/failure.ts'
import { entity } from '../../../../shared/base/table/entity.ts'
import { ConditionFailed } from '../../../../shared/base/table/table.ts'
import { type Deployment, deploy } from '../../edge/deployment.ts'
import { runs } from '../../../support/runs.ts'

const rows = entity({
  name: 'ROW',
  unbound: 'bounded',
  schema: z.object({ list: z.string(), at: z.string(), n: z.int().optional() }),
  key: ({ list, at }: { list: string; at: string }) => ({ pk: `LIST#${list}`, sk: at }),
  index: ({ list, at }) => ({ gsi1pk: `INDEX#${list}`, gsi1sk: at }),
})

let service: Deployment
beforeEach(async () => {
  service = await deploy()
})

const row = (at: string, n?: number) => ({ list: 'a', at, n })
const commit = (...ats: string[]) => service.ctx.table.commit(ats.map((at) => rows.insert(row(at))))

describe('a commit', () => {
  test('happens as a whole or not at all', async () => {
    await commit('1')

    await expect(commit('0', '1', '2')).rejects.toThrow(ConditionFailed)
    expect((await service.ctx.table.query(rows, { pk: 'LIST#a' })).map(({ at }) => at)).toEqual(['1'])
  })

  test('that fails says which write failed and what stands there', async () => {
    await commit('1')

    const failure = await commit('0', '1').catch((error: unknown) => error)
    expect(failure).toMatchObject({ index: 1, item: { at: '1', _v: 1 } })
  })

  test('that fails throws what the write has for its caller, before what has nothing to say', async () => {
    await commit('1', '2', '3')
    const [mine, other] = [conflict('2 is taken'), notFound('3')]
    const writes = [rows.insert(row('1')), rows.insert(row('2'), mine), rows.insert(row('3'), other)]

    await expect(service.ctx.table.commit(writes)).rejects.toBe(mine)
  })

  test('holds what follows it, as that stands by then', async () => {
    const { table } = service.ctx
    await commit('1')
    const counted = async () => {
      const was = await table.get(rows, { list: 'a', at: '1' })
      return was ? [rows.replace({ ...was, n: (was.n ?? 0) + 1 }, was)] : []
    }
    let looks = 0
    const following = async () => {
      const writes = await counted()
      if ((looks += 1) === 1) await table.commit(await counted()) // somebody else was faster
      return writes
    }
    await table.commit([{ following }, rows.insert(row('2'))])

    expect(await table.query(rows, { pk: 'LIST#a' })).toMatchObject([{ at: '1', n: 2 }, { at: '2' }])
    expect(looks).toBe(2)
  })

  test('fails for its own writes alone, whatever follows it', async () => {
    const { table } = service.ctx
    await commit('1', '2')
    const mine = conflict('1 is taken')
    const following = async () => [rows.insert(row('2'))]

    await expect(table.commit([{ following }, rows.insert(row('1'), mine)])).rejects.toBe(mine)
  })

  test('carries what is to join the commit of the request, once, and no other commit', async () => {
    const { table } = service.ctx
    table.joining = (ref) => [rows.insert(row(`joined ${ref}`))]
    await table.commit([rows.insert(row('1'))])
    await table.commit([rows.insert(row('2'))], 'two')
    await table.commit([rows.insert(row('3'))], 'three')

    expect((await table.query(rows, { pk: 'LIST#a' })).map(({ at }) => at)).toEqual(['1', '2', '3', 'joined two'])
  })

  test('keeps what is to join it when it fails', async () => {
    const { table } = service.ctx
    await commit('1')
    table.joining = () => [rows.insert(row('joined'))]
    await expect(table.commit([rows.insert(row('1'))], 'x')).rejects.toThrow()

    expect(table.joining).toBeDefined()
    expect(await table.get(rows, row('joined'))).toBeUndefined()
  })

  test('names the artifacts it committed, and none of a failed one', async () => {
    const { table } = service.ctx
    const recording = { ...rows.insert(row('1')), artifact: 'policy.updated' as const }
    await table.commit([recording])
    await expect(table.commit([recording])).rejects.toThrow()

    expect(table.committed).toEqual(['policy.updated'])
  })

  test('of more items than a transaction holds is our fault', async () => {
    await expect(commit(...Array.from({ length: 101 }, (_, i) => String(i)))).rejects.toThrow(
      'a transaction of 101 items',
    )
  })
})

describe('transactions that collide', () => {
  const collisions = (times: number, code = 'TransactionConflict') => {
    let left = times
    service.table.hooks.before = ({ name }) => {
      if (name !== 'TransactWriteItems' || left-- <= 0) return
      const CancellationReasons = [{ Code: 'None' }, { Code: code }]
      throw new TransactionCanceledException({ message: 'x', $metadata: {}, CancellationReasons })
    }
    return () => service.table.calls.TransactWriteItems ?? 0
  }

  test('of a single update that never gets through are told like those of a commit', async () => {
    service.table.hooks.before = ({ name }) => {
      if (name === 'UpdateItem') throw new TransactionConflictException({ message: 'x', $metadata: {} })
    }
    const write = rows.update(row('1'), { set: { n: 1 } })

    await expect(service.ctx.table.writeOne(write)).rejects.toMatchObject({
      name: 'Contended',
      collided: [{ pk: 'LIST#a', sk: '1' }],
    })
  })

  test('are tried again, with pauses that grow', async () => {
    const before = service.clock.now()
    collisions(8)
    await commit('1')

    expect(await service.ctx.table.get(rows, row('1'))).toBeDefined()
    expect(service.clock.now() - before).toBeLessThan(8 * 400)
  })

  test('are given up after eight retries', async () => {
    const calls = collisions(100)
    const before = calls()

    await expect(commit('1')).rejects.toThrow(TransactionCanceledException)
    expect(calls() - before).toBe(9)
  })
})

describe('a range', () => {
  const names = ['a', 'a1', 'a2', 'a#', 'b', 'b1', 'b2#x', 'c', 'cc', 'd']
  const bound = fc.option(fc.constantFrom(...names, 'aa', 'bz', '0', 'z'), { nil: undefined })
  const anyRange = fc.record({
    from: bound,
    to: bound,
    after: bound,
    prefix: fc.option(fc.constantFrom('a', 'b', 'b2', 'x'), { nil: undefined }),
    limit: fc.option(fc.integer({ min: 1, max: 12 }), { nil: undefined }),
    descending: fc.boolean(),
    index: fc.option(fc.constant('gsi1' as const), { nil: undefined }),
  })

  test('holds exactly what its bounds say, in order', async () => {
    await commit(...names)
    const property = fc.asyncProperty(anyRange, async ({ index, limit, prefix, from, to, after, descending }) => {
      const least = from ?? prefix ?? ''
      const most = to ?? (prefix === undefined ? '\u{10FFFF}' : `${prefix}\u{10FFFF}`)
      const expected = names
        .toSorted()
        .filter((name) => name >= least && name <= most)
        .filter((name) => after === undefined || (descending ? name < after : name > after))
      if (descending) expected.reverse()
      // A position always lies inside the bounds of its own list.
      fc.pre(after === undefined || (after >= least && after <= most))

      const pk = index ? 'INDEX#a' : 'LIST#a'
      const range = {
        pk,
        from,
        to,
        after,
        descending,
        ...(index && { index }),
        ...(prefix && { prefix }),
        ...(limit && { limit }),
      }
      const keys = await service.ctx.table.keys(range)
      expect(keys.map(({ sort }) => sort)).toEqual(expected.slice(0, limit))
      expect((await service.ctx.table.query(rows, range)).map(({ at }) => at)).toEqual(expected.slice(0, limit))
      if (after === undefined)
        expect(await service.ctx.table.count(range)).toEqual({ total: expected.length, complete: true })
    })
    await fc.assert(property, runs(300, 10))
  })

  test('longer than a page of the store is read to its end', async () => {
    const { table } = service.ctx
    const long = 'x'.repeat(300_000)
    const big = entity({
      name: 'BIG',
      unbound: 'bounded',
      schema: z.object({ n: z.string(), text: z.string() }),
      key: ({ n }: { n: string }) => ({ pk: 'BIG', sk: n }),
    })
    for (const n of ['1', '2', '3', '4', '5', '6', '7']) await table.commit([big.insert({ n, text: long })])

    expect((await table.query(big, { pk: 'BIG' })).map(({ n }) => n)).toHaveLength(7)
    expect((await table.keys({ pk: 'BIG', limit: 5, after: '1' })).map(({ sk }) => sk)).toEqual([
      '2',
      '3',
      '4',
      '5',
      '6',
    ])
    expect(await table.count({ pk: 'BIG' })).toEqual({ total: 7, complete: true })
    expect(await table.count({ pk: 'BIG' }, 1)).toMatchObject({ complete: false })
  })
})

describe('single reads that begin together', () => {
  const calls = () => ({ ...service.table.calls })

  test('are one call, each gets its own item, and none that is missing', async () => {
    await commit('1', '2')
    const before = calls()
    const ats = ['2', 'missing', '1', '2']
    const found = await Promise.all(ats.map((at) => service.ctx.table.get(rows, row(at))))

    expect(found.map((item) => item?.at)).toEqual(['2', undefined, '1', '2'])
    expect(calls().BatchGetItem).toBe((before.BatchGetItem ?? 0) + 1)
    expect(calls().GetItem).toBe(before.GetItem)
  })

  test('one by one are calls of their own, and see what was written between', async () => {
    expect(await service.ctx.table.get(rows, row('1'))).toBeUndefined()
    await commit('1')

    expect(await service.ctx.table.get(rows, row('1'))).toMatchObject({ at: '1' })
  })

  test('fail together, and the next one is not affected', async () => {
    await commit('1')
    service.table.hooks.before = ({ name }) => {
      if (name === 'BatchGetItem') throw new Error('down')
    }
    const both = [service.ctx.table.get(rows, row('1')), service.ctx.table.get(rows, row('2'))]

    expect((await Promise.allSettled(both)).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await service.ctx.table.get(rows, row('1'))).toMatchObject({ at: '1' })
  })

  test('with a key that cannot exist fails alone', async () => {
    await commit('1')
    const bad = entity({
      name: 'BAD',
      unbound: 'bounded',
      schema: z.object({}),
      key: () => {
        throw new Error('no key')
      },
    })
    const [one, other] = await Promise.allSettled([
      service.ctx.table.get(bad, {}),
      service.ctx.table.get(rows, row('1')),
    ])

    expect([one.status, other.status]).toEqual(['rejected', 'fulfilled'])
  })
})

describe('reading many', () => {
  test('gives up with the error of a store that is too busy', async () => {
    await commit('1', '2')
    service.table.send = async ({ input }) => ({
      UnprocessedKeys: (input as { RequestItems: object }).RequestItems,
    })

    await expect(service.ctx.table.getAll(rows, [row('1'), row('2')])).rejects.toMatchObject({
      name: 'ThrottlingException',
    })
  })

  test('keeps the order asked for, leaves out what is missing, and takes a hundred at a time', async () => {
    const ats = Array.from({ length: 230 }, (_, i) => String(i).padStart(3, '0'))
    for (let from = 0; from < ats.length; from += 100) await commit(...ats.slice(from, from + 100))
    const asked = [...ats.toReversed(), 'missing'].map((at) => row(at))

    expect((await service.ctx.table.getAll(rows, asked)).map(({ at }) => at)).toEqual(ats.toReversed())
    expect(service.table.calls.BatchGetItem).toBe(3)
    expect(await service.ctx.table.getAll(rows, [])).toEqual([])
  })

  test('asks again for what the store did not process', async () => {
    await commit('1', '2', '3')
    const held = service.table.send.bind(service.table)
    let first = true
    service.table.send = async (call) => {
      const answer = (await held(call)) as { Responses?: Record<string, unknown[]>; UnprocessedKeys?: object }
      if (call.name !== 'BatchGetItem' || !first) return answer
      first = false
      const [item] = answer.Responses?.countersign ?? []
      const { Keys } = (call.input as { RequestItems: Record<string, { Keys: object[] }> }).RequestItems
        .countersign ?? { Keys: [] }
      return { Responses: { countersign: [item] }, UnprocessedKeys: { countersign: { Keys: Keys.slice(1) } } }
    }

    expect((await service.ctx.table.getAll(rows, [row('1'), row('2'), row('3')])).map(({ at }) => at)).toEqual([
      '1',
      '2',
      '3',
    ])
  })
})
