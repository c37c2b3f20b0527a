import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { canonicalJson, type Json } from '../../../../shared/base/lib/json.ts'
import type { JsonObject } from '../../../../shared/base/wire/parse-body.ts'
import { pinOf } from '../../../../shared/govern/approvals/grants/pin.ts'
import type { Endpoint } from '../../../../shared/govern/manifests/manifest.ts'
import { runs } from '../../../support/runs.ts'

const KEY = new Uint8Array(32).fill(7)
const RULE = { free: ['/note', '/order/comment'], at_most: ['/amount', '/order/rows'] }
const APPROVED: JsonObject = {
  contact: 'con_1',
  note: 'as asked',
  amount: 10,
  currency: 'EUR',
  order: { comment: 'soon', rows: 3, name: 'first' },
}

const pin = (payload: JsonObject, rule = RULE, input_schema?: Endpoint['input_schema']) =>
  pinOf(KEY, { payload, rule, action: { endpoint: { action_id: 'a', input_schema } } })
const isSame = (payload: JsonObject, ...rest: [typeof RULE?, Endpoint['input_schema']?]) =>
  pin(payload, ...rest).pinned === pin(APPROVED, ...rest).pinned

describe('what a grant pins', () => {
  test.each<[string, JsonObject]>([
    ['the order of members', Object.fromEntries(Object.entries(APPROVED).toReversed())],
    ['a free member', { ...APPROVED, note: 'something else' }],
    ['the kind of its value', { ...APPROVED, note: ['one', { two: 2 }] }],
    ['a free member that is gone', { contact: 'con_1', amount: 10, currency: 'EUR', order: { ...order() } }],
    ['a free member in another', { ...APPROVED, order: { ...order(), comment: 'later' } }],
    ['a bounded number', { ...APPROVED, amount: 9.5, order: { ...order(), rows: 0 } }],
  ])('leaves out %s', (_what, payload) => {
    expect(isSame(payload)).toBe(true)
  })

  test.each<[string, JsonObject]>([
    ['a value', { ...APPROVED, contact: 'con_2' }],
    ['a further member', { ...APPROVED, more: null }],
    ['a member in another', { ...APPROVED, order: { ...order(), name: 'second' } }],
    ['an object in the place of a free member’s', { ...APPROVED, order: 'none' }],
    ['a list in the place of an object', { ...APPROVED, order: [order()] }],
    ['the absence of a bounded number', { contact: 'con_1', note: '', currency: 'EUR', order: order() }],
    ['a text in its place', { ...APPROVED, amount: '9' }],
    ['a list in its place', { ...APPROVED, amount: [{ note: 9 }] }],
    ['a negative number', { ...APPROVED, amount: -9 }],
  ])('is %s', (_what, payload) => {
    expect(isSame(payload)).toBe(false)
  })

  test.each<[string, Json]>([
    ['a command', 'rm -rf /'],
    ['a statement', 'DELETE FROM users'],
    ['a request', { method: 'POST', url: '/users' }],
    ['a link', 'see https://three.example/x'],
    ['an address', 'for eve@three.example'],
    ['a recipient', { to: 'ann' }],
    ['an amount', { amount: 1 }],
    ['a target', { filter: 'all' }],
  ])('is a free member with %s', (_what, note) => {
    const asked = { ...APPROVED, note }
    expect(isSame(asked)).toBe(false)
    expect(pin(asked).free).toEqual(['/order/comment'])
    expect(pin(asked)).toEqual(pin({ ...asked }))
    expect(pin({ ...asked, order: { ...order(), comment: 'x' } }).pinned).toBe(pin(asked).pinned)
    expect(pin({ ...asked, note: 'as asked' }).pinned).not.toBe(pin(asked).pinned)
  })

  test('is a named member to which the schema of the action gives a role', () => {
    const mapped = { type: 'object', 'x-countersign': { '/note': 'recipient', '/amount': 'sql' } }
    const { free, at_most } = pin(APPROVED, RULE, mapped)
    expect([free, at_most]).toEqual([['/order/comment'], { '/order/rows': 3 }])
    expect(isSame({ ...APPROVED, note: 'x' }, RULE, mapped)).toBe(false)
    expect(isSame({ ...APPROVED, amount: 1 }, RULE, mapped)).toBe(false)
  })

  test('is bound to the key, and to which members may differ', () => {
    const { pinned } = pin(APPROVED)
    const other = pinOf(new Uint8Array(32), { payload: APPROVED, rule: RULE, action: { endpoint: {} as Endpoint } })
    expect(other.pinned).not.toBe(pinned)
    expect(pin(APPROVED, { ...RULE, free: ['/note'] }).pinned).not.toBe(pinned)
    expect(pin({ contact: 'x' }, { free: ['/a'], at_most: [] }).pinned).not.toBe(
      pin({ contact: 'x' }, { free: ['/b'], at_most: [] }).pinned,
    )
  })
})

function order(): JsonObject {
  return { comment: 'soon', rows: 3, name: 'first' }
}

const named = fc.constantFrom('note', 'amount', 'comment', 'rows')
const name = fc.oneof(
  { weight: 3, arbitrary: named },
  { weight: 1, arbitrary: fc.constantFrom('contact', 'order', 'to', '__proto__', 'constructor', '0') },
)
const { value } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(null, true, 0, 3, 10, 11, -1, '', 'con_1', 'soon', 'rm -rf /', 'a@b.example'),
    fc.array(tie('value'), { maxLength: 2 }),
    tie('object'),
  ),
  object: fc.array(fc.tuple(name, tie('value')), { maxLength: 3 }).map((members) => Object.fromEntries(members)),
}))
const edits = fc.array(
  fc.record({ inOrder: fc.boolean(), name, value: fc.option(value, { nil: undefined, freq: 8 }) }),
  { maxLength: 2 },
)
type Edit = typeof edits extends fc.Arbitrary<(infer E)[]> ? E : never

/** `undefined` takes the member away. */
const edited = (payload: JsonObject, all: readonly Edit[]): JsonObject =>
  all.reduce((from, edit) => {
    if (!edit.inOrder) return withMember(from, edit)
    const { order: inner } = from
    return isObject(inner) ? { ...from, order: withMember(inner, edit) } : from
  }, payload)
const withMember = (from: JsonObject, { name: changed, value: to }: Edit): JsonObject =>
  Object.fromEntries([
    ...Object.entries(from).filter(([each]) => each !== changed),
    ...(to === undefined ? [] : [[changed, to] as const]),
  ])
const isObject = (of: Json | undefined): of is JsonObject => typeof of === 'object' && of !== null && !Array.isArray(of)

const withoutNamed = ({ note: _n, amount: _a, order: inner, ...rest }: JsonObject): string => {
  if (!isObject(inner)) return canonicalJson({ ...rest, ...(inner !== undefined && { order: inner }) })
  const { comment: _c, rows: _r, ...others } = inner
  return canonicalJson({ ...rest, order: others })
}
const boundedOf = ({ amount, order: inner }: JsonObject) => [amount, isObject(inner) ? inner.rows : undefined]

test('what a grant serves differs from the approved payload only in named members, and bounded numbers are no larger', () => {
  let differing = 0
  fc.assert(
    fc.property(edits, edits, (before, since) => {
      const approved = edited(APPROVED, before)
      const asked = edited(approved, since)
      const [was, is] = [pin(approved), pin(asked)]
      const isServed =
        was.pinned === is.pinned &&
        Object.entries(is.at_most).every(([pointer, number]) => number <= (was.at_most[pointer] ?? -1))
      if (canonicalJson(approved) === canonicalJson(asked)) expect(isServed).toBe(true)
      if (!isServed) return
      differing += canonicalJson(approved) === canonicalJson(asked) ? 0 : 1
      expect(withoutNamed(asked)).toBe(withoutNamed(approved))
      for (const [i, number] of boundedOf(asked).entries()) {
        const bound = boundedOf(approved)[i]
        if (typeof number === 'number' && typeof bound === 'number') expect(number).toBeLessThanOrEqual(bound)
        else expect(number).toEqual(bound)
      }
      const EFFECT = /rm -rf|@/
      if (!EFFECT.test(canonicalJson(approved))) expect(canonicalJson(asked)).not.toMatch(EFFECT)
    }),
    runs(300),
  )
  expect(differing).toBeGreaterThan(0) // by chance some dozen
})
