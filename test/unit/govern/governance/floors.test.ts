import { describe, expect, test } from 'vitest'
import type { GovernanceSettings } from '../../../../shared/govern/governance/settings.ts'
import type { Json } from '../../../../shared/base/lib/json.ts'
import { type Action, classified } from './make.ts'

describe('what a manifest declares', () => {
  test.each<[string, Action]>([
    ['approval_required', { approval_required: true }],
    ['destructiveHint', { annotations: { destructiveHint: true } }],
    ['min_tier HARD', { min_tier: 'HARD' }],
  ])('%s makes even a read HARD', (_, action) => {
    expect(classified('get_thing', action)).toMatchObject({
      tier: 'HARD',
      floor: 'HARD',
      declared: 'HARD',
      base: 'AUTO',
    })
  })

  test.each<[string, Action]>([
    ['min_tier SOFT', { min_tier: 'SOFT' }],
    ['readOnlyHint false', { annotations: { readOnlyHint: false } }],
  ])('%s makes a read SOFT', (_, action) => {
    expect(classified('get_thing', action).tier).toBe('SOFT')
    expect(classified('delete_thing', action).tier).toBe('HARD')
  })

  test('openWorldHint raises what acts and leaves what reads', () => {
    expect(classified('update_thing', { annotations: { openWorldHint: true } }).tier).toBe('HARD')
    expect(classified('get_thing', { annotations: { openWorldHint: true } }).tier).toBe('AUTO')
  })

  test('irreversible makes SOFT HARD and leaves AUTO', () => {
    expect(classified('update_thing', { annotations: { irreversible: true } }).tier).toBe('HARD')
    expect(classified('get_thing', { annotations: { irreversible: true } }).tier).toBe('AUTO')
  })

  test.each<Action>([
    { annotations: { readOnlyHint: true } },
    { annotations: { idempotentHint: true } },
    { annotations: { destructiveHint: false } },
    { annotations: { openWorldHint: false } },
    { approval_required: false },
    { idempotency: true },
    { min_tier: 'SOFT' },
  ])('%j never lowers', (action) => {
    for (const name of ['delete_thing', 'send_email', 'frobnicate', 'update_thing']) {
      const floors = classified(name, action)
      expect([floors.tier, floors.kind]).toEqual([classified(name).tier, classified(name).kind])
    }
  })
})

type Settings = Partial<GovernanceSettings>
const list = (length: number): Json => Array.from({ length }, (_, i) => i)

describe('what a payload shows', () => {
  test.each<[string, Json, Settings]>([
    ['external_recipients', { to: 'bob@partner.example' }, {}],
    ['external_recipients', { cc: ['ann@acme.example', 'bob@partner.example'] }, { domains: ['acme.example'] }],
    ['external_recipients', { recipients: [{ email: 'bob@partner.example' }] }, { domains: ['acme.example'] }],
    ['external_recipients', { bcc: 'ann@acme.example.evil.example' }, { domains: ['acme.example'] }],
    ['external_recipients', { phone: '+1 415 555 2671' }, {}],
    ['amount', { amount: 101 }, { amount_cap: 100 }],
    ['amount', { order: { total: '100.01' } }, { amount_cap: 100 }],
    ['amount', { amount: -500 }, { amount_cap: 100 }],
    ['amount', { price: '1.250,00' }, { amount_cap: 10_000 }],
    ['bulk', { rows: list(51) }, {}],
    ['bulk', { rows: list(3) }, { bulk_limit: 2 }],
    ['wildcard', { id: '*' }, {}],
    ['wildcard', { filter: ' ALL ' }, {}],
    ['wildcard', { targets: ['a', '%'] }, {}],
    ['secrets', { note: 'key AKIAIOSFODNN7EXAMPLE' }, {}],
  ])('%s raises what acts and leaves what reads: %j', (signal, payload, settings) => {
    const acting = classified('update_thing', { payload }, settings)

    expect(acting).toMatchObject({ tier: 'HARD', computed: 'HARD', risk: 45 })
    expect(acting.reasons).toContainEqual({ signal, floor: 'HARD' })
    expect(classified('get_thing', { payload }, settings).tier).toBe('AUTO')
  })

  test.each<[string, Json, Settings]>([
    ['recipients of the tenant', { to: 'ann@acme.example', cc: 'bob@eu.acme.example' }, { domains: ['acme.example'] }],
    ['a date range', { from: '2026-01-01', to: '2026-02-01' }, {}],
    ['an amount at the cap', { amount: 100 }, { amount_cap: 100 }],
    ['an amount without a cap', { amount: 1_000_000 }, {}],
    ['a list at the limit', { rows: list(50) }, {}],
    ['an ordinary id', { id: 'all-hands' }, {}],
    ['a star in prose', { note: '*' }, {}],
    ['personal data', { note: 'Ann, ann@partner.example, born 1980-01-01' }, {}],
  ])('%s raises nothing', (_, payload, settings) => {
    expect(classified('update_thing', { payload }, settings).tier).toBe('SOFT')
  })

  test.each<[string, Json]>([
    ['sql_write', { sql: 'DELETE FROM users' }],
    ['sql_write', { statement: 'SELECT 1; SELECT 2' }],
    ['sql_write', { query: 'update users set admin = true' }],
    ['shell', { command: 'ls' }],
    ['shell', { shell: ['rm', '-rf', '/'] }],
    ['shell', { code: 'import os; os.remove("x")' }],
  ])('%s raises whatever the kind: %j', (signal, payload) => {
    const reading = classified('get_thing', { payload })

    expect(reading).toMatchObject({ kind: 'read', tier: 'HARD' })
    expect(reading.reasons).toContainEqual({ signal, floor: 'HARD' })
  })

  test('country, postal and error codes are no code', () => {
    for (const code of ['US', 'SW1A 1AA', 'E-104', 42]) {
      expect(classified('get_thing', { payload: { code, postal_code: code } }).tier).toBe('AUTO')
    }
  })
})

test('a word that mixes scripts makes any action HARD', () => {
  expect(classified('get_thing', { description: 'Reads and dеletes a thing.' })).toMatchObject({
    tier: 'HARD',
    computed: 'HARD',
  })
})

describe('confidence', () => {
  test('is the share of agreeing opinions, out of at least two', () => {
    expect(classified('update_thing').confidence).toBe(0.5)
    expect(classified('update_thing', { description: 'Updates a thing.' }).confidence).toBe(1)
    const three = { description: 'Updates a thing.', annotations: { readOnlyHint: true } }
    expect(classified('update_thing', three).confidence).toBe(0.67)
  })
})

describe('risk', () => {
  test('adds ten for each payload signal and is capped', () => {
    const payload = { to: 'x@y.example', id: '*', sql: 'drop table x', shell: 'x' }

    expect(classified('update_thing', { payload }).risk).toBe(35 + 40)
    expect(classified('pay_thing', { payload }).risk).toBe(100)
  })

  test.each([
    [50, 35],
    [100, 35],
    [30, 39],
    [0, 45],
  ])('with trust %i it is %i', (trust, risk) => {
    expect(classified('update_thing', { trust }).risk).toBe(risk)
  })
})
