import { describe, expect, test } from 'vitest'
import { checkExpressions, takeRefused } from '../../../support/strict-expressions.ts'

type Placeholders = { names?: Record<string, string>; values?: Record<string, object> }

/** What is said against the input of a command; undefined when it is lawful. */
function refusal(name: string, input: object, { names, values }: Placeholders = {}): string | undefined {
  const placeholders = {
    ...(names && { ExpressionAttributeNames: names }),
    ...(values && { ExpressionAttributeValues: values }),
  }
  try {
    checkExpressions({ name, input: { ...input, ...placeholders } })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : 'thrown'
  } finally {
    takeRefused()
  }
}

const text = { S: 'x' }
const one = { N: '1' }
const values = (...names: string[]) => Object.fromEntries(names.map((name) => [`:${name}`, one]))
const names = (...given: string[]) => Object.fromEntries(given.map((name) => [`#${name}`, name]))

type Row = [expression: string, placeholders?: Placeholders]

describe('conditions', () => {
  const judge = ([ConditionExpression, placeholders]: Row) => refusal('PutItem', { ConditionExpression }, placeholders)

  test.each<Row>([
    ['attribute_not_exists(pk)'],
    ['attribute_exists(pk) AND attribute_not_exists(#a)', { names: names('a') }],
    ['#a = :x OR #a <> :y AND NOT #b < :y', { names: names('a', 'b'), values: values('x', 'y') }],
    ['(attribute_not_exists(a) OR a <= :x) AND b > :x', { values: values('x') }],
    ['NOT (a = :x AND b = :x)', { values: values('x') }],
    ['a.b[0].c BETWEEN :x AND :y', { values: values('x', 'y') }],
    ['a IN (:x, b)', { values: values('x') }],
    ['size(a) > :x', { values: values('x') }],
    [':x = a', { values: values('x') }],
    ['attribute_type(a, :t)', { values: { ':t': { S: 'SS' } } }],
    ['begins_with(a, :s) OR contains(b, :s)', { values: { ':s': text } }],
    [`a IN (${Array.from({ length: 100 }, (_, index) => `:x${index}`).join(', ')})`, { values: values(...range(100)) }],
  ])('%s is lawful', (...row) => {
    expect(judge(row)).toBeUndefined()
  })

  test.each<[expression: string, why: string, placeholders?: Placeholders]>([
    [':x <= :y', ':x is compared without any attribute', { values: values('x', 'y') }],
    ['a = :x AND :x = :y', ':x is compared without any attribute', { values: values('x', 'y') }],
    [':x BETWEEN :y AND :x', ':x is compared without any attribute', { values: values('x', 'y') }],
    [':x IN (:x)', ':x is compared without any attribute', { values: values('x') }],
    ['a = a', 'a is compared with itself'],
    ['contains(a, a)', 'the operands of a function are one path'],
    ['a = :x', 'no value for :x'],
    ['#a = b', 'no name for #a'],
    ['attribute_exists(a)', ':x is not used', { values: values('x') }],
    ['attribute_exists(a)', '#b is not used', { names: names('b') }],
    ['attribute_exists(a)', 'placeholders are given, but none', { values: {} }],
    ['status = :x', 'status is a reserved word', { values: values('x') }],
    ['a.status = :x', 'status is a reserved word', { values: values('x') }],
    ['a < :s', 'a value of type BOOL where S,N,B belong', { values: { ':s': { BOOL: true } } }],
    ['begins_with(a, :x)', 'a value of type N where S,B belong', { values: values('x') }],
    ['attribute_type(a, :t)', 'no type TEXT', { values: { ':t': { S: 'TEXT' } } }],
    ['attribute_type(a, S)', 'S where a value belongs'],
    ['((a = :x))', 'parentheses that change nothing', { values: values('x') }],
    ['attribute_exists(a) OR (a = :x AND b = :x)', 'parentheses that change nothing', { values: values('x') }],
    ['NOT (a = :x)', 'parentheses that change nothing', { values: values('x') }],
    ['a == :x', '= where a path belongs', { values: values('x') }],
    ['Attribute_Exists(a)', 'no comparator (', {}],
    ['exists(a)', 'exists is a reserved word'],
    ['if_not_exists(a, :x) = b', 'no comparator (', { values: values('x') }],
    ['a', 'no comparator ', {}],
    ['a = :x b', 'unexpected b', { values: values('x') }],
    ['_a = :x', 'no token: _a = :x', { values: values('x') }],
    ['', 'the expression is empty'],
    [
      `a IN (${range(101)
        .map((name) => `:${name}`)
        .join()})`,
      'IN takes 100 operands at most',
      { values: values(...range(101)) },
    ],
    [
      range(151)
        .map(() => 'NOT a = :x')
        .join(' AND '),
      'more than 300 operators and functions',
      { values: values('x') },
    ],
    [`a = :x ${' '.repeat(4_096)}`, 'the expression is longer than 4 KB', { values: values('x') }],
    [range(33).join('.') + ' = :x', 'a path deeper than 32', { values: values('x') }],
  ])('%s is refused', (expression, why, placeholders) => {
    expect(judge([expression, placeholders])).toBe(why)
  })
})

describe('updates', () => {
  const judge = ([UpdateExpression, placeholders]: Row) => refusal('UpdateItem', { UpdateExpression }, placeholders)

  test.each<Row>([
    ['SET a = :x, b = if_not_exists(b, :x) + :y REMOVE c ADD d :x', { values: values('x', 'y') }],
    ['SET a = a - :x, b[1] = :x, c.d = b', { values: values('x') }],
    ['SET a = list_append(if_not_exists(a, :l), :l) DELETE b :s', { values: { ':l': { L: [] }, ':s': { SS: ['x'] } } }],
  ])('%s is lawful', (...row) => {
    expect(judge(row)).toBeUndefined()
  })

  test.each<[expression: string, why: string, placeholders?: Placeholders]>([
    ['SET a = :x, a = :x', 'two paths overlap: a', { values: values('x') }],
    ['SET #a = :x REMOVE a.b', 'two paths overlap: a', { names: names('a'), values: values('x') }],
    ['SET a = :x SET b = :x', 'two clauses SET', { values: values('x') }],
    ['SET pk = :x', 'a key cannot be updated', { values: values('x') }],
    ['SET a = :s + :x', 'a value of type S where N belong', { values: { ':x': one, ':s': text } }],
    ['SET a = :x + :x + :x', 'unknown clause +', { values: values('x') }],
    ['SET a = size(b)', 'size is a reserved word'],
    ['ADD a :s', 'a value of type S where N,SS,NS,BS belong', { values: { ':s': text } }],
    ['DELETE a :x', 'a value of type N where SS,NS,BS belong', { values: values('x') }],
    ['REMOVE a,', 'nothing where a path belongs'],
    ['PUT a :x', 'unknown clause PUT', { values: values('x') }],
  ])('%s is refused', (expression, why, placeholders) => {
    expect(judge([expression, placeholders])).toBe(why)
  })
})

describe('reads', () => {
  const query = (KeyConditionExpression: string, more: object = {}) =>
    refusal(
      'Query',
      { KeyConditionExpression, ...more },
      { values: values(...(JSON.stringify([KeyConditionExpression, more]).match(/(?<=:)[xyz]\b/g) ?? [])) },
    )

  test('name keys only, the partition for equality', () => {
    expect(query('pk = :x')).toBeUndefined()
    expect(query('pk = :x AND sk BETWEEN :y AND :z')).toBeUndefined()
    expect(query('gsi2pk = :x AND gsi2sk >= :y', { IndexName: 'gsi2' })).toBeUndefined()
    expect(query('pk = :x AND begins_with(sk, :y)')).toBe('a value of type N where S,B belong')
    expect(query('pk > :x')).toBe('the partition key is compared for equality only')
    expect(query('pk = :x AND sk <> :y')).toBe('a sort key is not compared with <>')
    expect(query('pk = :x AND a = :y')).toBe('a is not the key sk')
    expect(query('pk = :x OR sk = :y')).toBe('unexpected OR')
    expect(query('pk = :x AND sk > :y AND sk < :z')).toBe('unexpected AND')
    expect(query('gsi2pk = :x', {})).toBe('gsi2pk is not the key pk')
    expect(query('pk = sk')).toBe('sk where a value belongs')
  })

  test('filter by anything but keys, and project each path once', () => {
    expect(query('pk = :x', { FilterExpression: 'a = :y' })).toBeUndefined()
    expect(query('pk = :x', { FilterExpression: 'a = :y AND sk = :y' })).toBe('a filter names the key sk')
    expect(query('pk = :x', { ProjectionExpression: 'pk, sk, a.b' })).toBeUndefined()
    expect(query('pk = :x', { ProjectionExpression: 'a, a.b' })).toBe('two paths overlap: a')
  })
})

describe('commands', () => {
  test('are checked part by part', () => {
    const check = { ConditionCheck: { ConditionExpression: 'attribute_exists(a)' } }
    const bad = { Put: { ConditionExpression: 'attribute_exists(a', ExpressionAttributeNames: {} } }

    expect(refusal('TransactWriteItems', { TransactItems: [check, { Put: {} }] })).toBeUndefined()
    expect(refusal('TransactWriteItems', { TransactItems: [check, bad] })).toBe('expected ), found the end')
    expect(refusal('TransactWriteItems', { TransactItems: [{ ConditionCheck: {} }] })).toBe(
      'ConditionCheck without its expression',
    )
    expect(refusal('BatchGetItem', { RequestItems: { t: { ProjectionExpression: 'status' } } })).toBe(
      'status is a reserved word',
    )
    expect(refusal('BatchWriteItem', { RequestItems: { t: [{ DeleteRequest: {} }] } })).toBeUndefined()
  })

  test('that are refused are remembered, for callers that survive the refusal', () => {
    const input = { ConditionExpression: 'a' }

    expect(() => checkExpressions({ name: 'PutItem', input })).toThrow('no comparator')
    expect(takeRefused()).toEqual([`PutItem: ValidationException: no comparator  in ${JSON.stringify(input)}`])
  })
})

function range(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `x${index}`)
}
