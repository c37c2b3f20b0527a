import { unmarshall } from '@aws-sdk/util-dynamodb'
import * as fc from 'fast-check'
import * as z from 'zod'
import { describe, expect, test } from 'vitest'
import {
  entity,
  key,
  padded,
  spaceKey,
  spaceOf,
  toAttributes,
  updateExpression,
} from '../../../../shared/base/table/entity.ts'
import { conflict } from '../../../../shared/base/lib/failure.ts'

process.env.TABLE_NAME = 'countersign'

const Box = z.object({
  tenant_id: z.string(),
  mode: z.enum(['live', 'test']),
  id: z.string(),
  status: z.string(),
  items: z.array(z.string()).optional(),
  until: z.int().optional(),
})

const boxes = entity({
  name: 'BOX',
  unbound: 'bounded',
  schema: Box,
  key: (of: { tenant_id: string; mode: string; id: string }) => ({ pk: spaceKey(of, 'BOX', of.id), sk: 'BOX' }),
  index: (item) => (item.status === 'open' ? { gsi1pk: spaceKey(item, 'OPEN'), gsi1sk: item.id } : {}),
  ttl: (item) => item.until,
})

const box = { tenant_id: 'ten_1', mode: 'live' as const, id: 'b1', status: 'open' }

describe('keys', () => {
  test('are joined with #, so no part may be empty or hold one', () => {
    expect(key('T', 'ten_1', 'live')).toBe('T#ten_1#live')
    for (const parts of [['a', ''], [''], ['a#b'], ['T', 'x', 'live#NODES']]) {
      expect(() => key(...parts)).toThrow('a part of a key is empty or holds #')
    }
  })

  test('two different lists of parts never make the same key', () => {
    const part = fc.stringMatching(/^[^#]{1,4}$/)
    const parts = fc.array(part, { minLength: 1, maxLength: 4 })
    fc.assert(fc.property(parts, parts, (a, b) => (key(...a) === key(...b)) === (a.join('\n') === b.join('\n'))))
  })

  test('name their tenant and mode, which is read back from them', () => {
    expect(spaceOf(spaceKey(box, 'BOX', 'b1'))).toEqual({ tenant_id: 'ten_1', mode: 'live' })
    for (const outside of ['APIKEY#x', 'DUE#2026', 'T##live', 'T#ten_1', 'T#ten_1#prod#BOX', '']) {
      expect(spaceOf(outside), outside).toBeUndefined()
    }
  })

  test('order numbers like numbers', () => {
    fc.assert(fc.property(fc.nat(), fc.nat(), (a, b) => a < b === padded(a) < padded(b)))
    expect(padded(7, 4)).toBe('0007')
  })
})

test('a kind that does not say why it is unbound does not compile', () => {
  // @ts-expect-error: `unbound` is missing
  const silent = entity({ name: 'BOX', schema: Box, key: boxes.key })

  expect(silent.name).toBe('BOX')
})

describe('writes', () => {
  test('an insert requires that nothing stands there', () => {
    const { Put } = boxes.insert(box).item

    expect(Put).toMatchObject({
      TableName: 'countersign',
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    expect(unmarshall(Put?.Item ?? {})).toEqual({
      ...box,
      pk: 'T#ten_1#live#BOX#b1',
      sk: 'BOX',
      gsi1pk: 'T#ten_1#live#OPEN',
      gsi1sk: 'b1',
      _type: 'BOX',
      _v: 1,
    })
  })

  test('an object from outside is a map, whatever its members are called', () => {
    const named = { constructor: 'x', toString: 'y', hasOwnProperty: 'z' }

    expect(unmarshall(toAttributes({ metadata: named }))).toEqual({ metadata: named })
  })

  test('a replacement requires the revision that was read, and makes the next one', () => {
    const { Put } = boxes.replace({ ...box, status: 'closed', until: 99 }, { _v: 4 }).item

    expect(Put).toMatchObject({
      ConditionExpression: '#_v = :was',
      ExpressionAttributeNames: { '#_v': '_v' },
      ExpressionAttributeValues: { ':was': { N: '4' } },
    })
    const stored = unmarshall(Put?.Item ?? {})
    expect(stored).toMatchObject({ _v: 5, _ttl: 99, status: 'closed' })
    expect(stored, 'it has left the index').not.toHaveProperty('gsi1pk')
  })

  test('a check holds a transaction to the revision that was read, or to there being none', () => {
    const refusal = conflict('moved')
    const { item, otherwise } = boxes.stays(box, 4, refusal)

    expect(otherwise).toBe(refusal)
    expect(item.ConditionCheck).toMatchObject({
      Key: { pk: { S: 'T#ten_1#live#BOX#b1' }, sk: { S: 'BOX' } },
      ConditionExpression: '#_v = :was',
      ExpressionAttributeNames: { '#_v': '_v' },
      ExpressionAttributeValues: { ':was': { N: '4' } },
    })
    expect(boxes.stays(box, 0).item.ConditionCheck).toMatchObject({ ConditionExpression: 'attribute_not_exists(pk)' })
  })

  test('an update counts the revision, and its condition is the one given', () => {
    const refusal = conflict('moved')
    const condition = { expression: '#status = :was', values: { ':was': 'open' } }
    const { item, otherwise } = boxes.update(box, { set: { status: 'shut' }, condition }, refusal)

    expect(otherwise).toBe(refusal)
    expect(item.Update).toMatchObject({
      Key: { pk: { S: 'T#ten_1#live#BOX#b1' }, sk: { S: 'BOX' } },
      UpdateExpression: 'SET #status = :status ADD #_v :_v',
      ConditionExpression: '#status = :was',
      ExpressionAttributeNames: { '#status': 'status', '#_v': '_v' },
      ExpressionAttributeValues: { ':status': { S: 'shut' }, ':_v': { N: '1' }, ':was': { S: 'open' } },
    })
  })

  test('a version above 1 is stored, and one without a form to read it in is a fault of this release', () => {
    const versioned = (writes: number) =>
      entity({ name: 'BOX', unbound: 'bounded', schema: Box, key: boxes.key, version: { writes } })
    const of = (writes: number) => versioned(writes).insert(box).item.Put?.Item ?? {}

    expect([unmarshall(of(1)), unmarshall(of(2))]).toEqual([
      expect.not.objectContaining({ _s: expect.anything() }),
      expect.objectContaining({ _s: 2 }),
    ])
    expect(versioned(2).decode(of(2))).toEqual({ ...box, _v: 1 })
    expect(() => versioned(2).decode(of(1))).toThrow('BOX is stored in version 1, and this release reads 2')
  })

  test('a removal may have a condition', () => {
    expect(boxes.remove(box).item.Delete).not.toHaveProperty('ConditionExpression')
    expect(boxes.remove(box, { expression: 'attribute_exists(pk)' }).item.Delete).toMatchObject({
      ConditionExpression: 'attribute_exists(pk)',
    })
  })
})

describe('update expressions', () => {
  test('hold only the clauses that say something', () => {
    expect(updateExpression({ set: { a: 1, gone: undefined }, remove: ['b'], add: { c: 2 } })).toEqual({
      UpdateExpression: 'SET #a = :a REMOVE #b ADD #c :c',
      ExpressionAttributeNames: { '#a': 'a', '#b': 'b', '#c': 'c' },
      ExpressionAttributeValues: { ':a': { N: '1' }, ':c': { N: '2' } },
    })
    expect(updateExpression({ remove: ['b'] })).toEqual({
      UpdateExpression: 'REMOVE #b',
      ExpressionAttributeNames: { '#b': 'b' },
    })
  })

  test('reserved words go through names', () => {
    const { UpdateExpression, ExpressionAttributeNames } = updateExpression({ set: { status: 'x', items: [], ttl: 1 } })

    expect(UpdateExpression).toBe('SET #status = :status, #items = :items, #ttl = :ttl')
    expect(ExpressionAttributeNames).toEqual({ '#status': 'status', '#items': 'items', '#ttl': 'ttl' })
  })
})

describe('reading', () => {
  const stored = boxes.insert({ ...box, items: [] }).item.Put?.Item ?? {}

  test('gives what the schema names, and the revision', () => {
    expect(boxes.decode(stored)).toEqual({ ...box, items: [], _v: 1 })
  })

  test('refuses an item that is not one', () => {
    expect(() => boxes.decode({ ...stored, mode: { S: 'prod' } })).toThrow()
    expect(() => boxes.decode({})).toThrow()
  })
})
