import { describe, expect, test } from 'vitest'
import type { Json } from '../../../../shared/base/lib/json.ts'
import { mappingProblems } from '../../../../shared/govern/governance/payload/declared.ts'
import { classified } from './make.ts'

const mapping = {
  '/order/size': 'amount',
  '/lines/*/run': 'sql',
  '/who': 'recipient',
  '/do': 'command',
  '/how': 'method',
  '/where': 'url',
} as const
const input_schema = { type: 'object', 'x-countersign': mapping }

test.each([
  ['get_thing', { lines: [{ run: 'x = 1' }] }, 'sql_write'],
  ['get_thing', { do: 'ls' }, 'shell'],
  ['get_thing', { how: 'DELETE' }, 'http_write'],
  ['update_thing', { who: 'ann@partner.example' }, 'external_recipients'],
  ['update_thing', { where: 'https://partner.example/hook' }, 'external_recipients'],
  ['update_thing', { order: { size: 101 } }, 'amount'],
])('%s %j is judged by the role that the manifest gives a member', (name, payload, signal) => {
  const settings = { amount_cap: 100 }
  const mapped = classified(name, { input_schema, payload }, settings)

  expect(mapped.reasons.map((reason) => reason.signal)).toContain(signal)
  expect(mapped.tier).toBe('HARD')
  expect(classified(name, { payload }, settings).tier).not.toBe('HARD')
})

describe('run_query, which its description calls a read,', () => {
  const description = 'Queries the table.'
  const mapped = { input_schema: { type: 'object', 'x-countersign': { '/steps/*/goal': 'sql' } } }
  const tierOf = (payload: Parameters<typeof classified>[1], more: object = {}) =>
    classified('run_query', { description, ...more, ...payload }).tier

  test('is AUTO as long as its statements read, and HARD as soon as one may not', () => {
    expect(tierOf({ payload: { sql: 'SELECT name FROM users' } })).toBe('AUTO')
    for (const payload of [{ sql: 'DROP TABLE users' }, { text: 'DROP TABLE users' }, { sql: ['SELECT 1', 'VACUUM'] }])
      expect(tierOf({ payload })).toBe('HARD')
  })

  test.each<[string, Json, string]>([
    ['reads', { steps: [{ goal: 'SELECT 1' }] }, 'AUTO'],
    ['drops a table', { steps: [{ goal: 'SELECT 1' }, { goal: 'DROP TABLE users' }] }, 'HARD'],
    ['is none that anybody knows', { steps: [{ goal: 'weird' }] }, 'HARD'],
    ['is a number', { steps: [{ goal: 7 }] }, 'HARD'],
    ['is a boolean', { steps: [{ goal: true }] }, 'HARD'],
    ['is in a list', { steps: [{ goal: ['DROP TABLE users'] }] }, 'HARD'],
    ['is not there', { steps: [] }, 'SOFT'],
    ['is empty', { steps: [{ goal: ' ' }] }, 'SOFT'],
    ['is null', { steps: [{ goal: null }] }, 'SOFT'],
  ])('and whose statement %s', (_, payload, tier) => {
    expect(tierOf({ payload }, mapped)).toBe(tier)
  })

  test('is described by its name and description before any request', () => {
    expect(tierOf({}, mapped)).toBe('AUTO')
  })
})

test('a mapping takes no role away and is counted once', () => {
  const payload = { sql: 'drop table users', to: 'ann@partner.example' }
  const schema = { 'x-countersign': { '/sql': 'amount', '/to': 'recipient' } }
  const { inspection } = classified('update_thing', { input_schema: schema, payload })

  expect(inspection.signals).toMatchObject({ sql_write: true, recipients: 1 })
})

test('formats, methods of an enum and descriptions tell roles, too', () => {
  const schema = {
    properties: {
      owner: { type: 'string', format: 'email' },
      verb: { enum: ['GET', 'PUT'] },
      line: { type: 'string', description: 'A shell command.' },
      list: { type: 'array', items: { properties: { q: { description: 'SQL that is run.' } } } },
    },
  }
  const signalsOf = (payload: Parameters<typeof classified>[1]) =>
    classified('update_thing', { input_schema: schema, ...payload }).reasons.map(({ signal }) => signal)

  expect(signalsOf({ payload: { owner: 'ann@partner.example' } })).toContain('external_recipients')
  expect(signalsOf({ payload: { verb: 'put' } })).toContain('http_write')
  expect(signalsOf({ payload: { line: 'ls' } })).toContain('shell')
  expect(signalsOf({ payload: { list: [{ q: 'select pg_sleep(9)' }] } })).toContain('sql_write')
  expect(signalsOf({ payload: { verb: 'get', list: [{ q: 'select 1' }] } })).not.toContain('sql_write')
})

test('an action that cannot be called without a command is HARD before any call', () => {
  const required = { required: ['command'], properties: { command: { type: 'string' } } }
  const mapped = { required: ['line'], 'x-countersign': { '/line': 'command' } }

  expect(classified('get_output', { input_schema: required }).tier).toBe('HARD')
  expect(classified('get_output', { input_schema: mapped }).tier).toBe('HARD')
  expect(classified('get_output', { input_schema: { properties: { command: {} } } }).tier).toBe('AUTO')
})

test('a mapping is refused with its place', () => {
  expect(mappingProblems({ 'x-countersign': { order: 'sql', '/a': 'secret' } }).map(({ path }) => path)).toEqual([
    ['x-countersign', 'order'],
    ['x-countersign', '/a'],
  ])
  expect(mappingProblems({ 'x-countersign': [] })).toHaveLength(1)
  expect(mappingProblems({ 'x-countersign': mapping })).toEqual([])
})

test.each(['email', 'attendees', 'share_with', 'sendTo', 'destination', 'customer_contact', 'reply_to'])(
  'a mail address or international number in %s is a recipient',
  (name) => {
    const recipientsOf = (value: string) =>
      classified('update_thing', { payload: { [name]: value } }).inspection.signals.recipients

    expect(recipientsOf('ann@partner.example')).toBe(1)
    expect(recipientsOf('+49 171 1234567'.replaceAll(' ', ''))).toBe(1)
    expect(recipientsOf('https://partner.example')).toBe(0)
    expect(recipientsOf('Ann')).toBe(0)
  },
)
