import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../../../shared/ledger/evidence/chain/chain.ts'
import { type Examined, verdict } from '../../../../../shared/ledger/evidence/verify/examine.ts'

const NOW = Date.parse('2026-11-20T10:10:00.000Z')
const at = '2026-11-20T10:00:00.000Z'
const unsigned = { sequence: 7, artifact_id: null, reason: 'signature' as const }
const finding = (sequence: number) => ({ sequence, artifact_id: null, reason: 'missing' as const })

const lastFull = (broken: Finding[], began_at = at) => ({
  began_at,
  at,
  size: 10,
  result: broken.length > 0 ? ('broken' as const) : ('valid' as const),
  broken,
})

const known = { at, detail: 'verification failed', findings: [finding(9)] }

const anchor = {
  size: 8,
  block: 2,
  from: 0,
  note: 'note',
  root: Buffer.alloc(32),
  link: Buffer.alloc(32),
  frontier: [],
  signed_at: at,
  object_key: 'key',
}

const examined = (over: Partial<Examined> = {}): Examined => ({
  began: NOW,
  now: NOW,
  mode: 'full',
  head: { size: 10, first_at: at, last_at: at },
  anchor,
  signatureFailed: false,
  findings: [],
  last: undefined,
  openBreak: undefined,
  walkedTo: 10,
  walked: { artifacts: 10, ms: 5 },
  complete: true,
  oldestUnanchoredAt: undefined,
  ...over,
})

describe('signature_status', () => {
  test.each<[string, Partial<Examined>]>([
    ['all_verified', {}],
    ['all_verified', { oldestUnanchoredAt: '2026-11-20T10:05:00.000Z' }],
    ['pending', { oldestUnanchoredAt: '2026-11-20T10:04:59.999Z' }],
    ['pending', { anchor: undefined }],
    ['stale', { oldestUnanchoredAt: '2026-11-20T10:11:00.001Z' }],
    ['stale', { oldestUnanchoredAt: at, anchor: { ...anchor, signed_at: '2026-11-20T10:11:00.001Z' } }],
    ['all_verified', { anchor: { ...anchor, signed_at: '2026-11-20T10:11:00.001Z' } }],
    ['none', { anchor: undefined, head: { size: 0 } }],
    ['failed', { signatureFailed: true }],
    ['failed', { last: lastFull([unsigned]) }],
    ['failed', { signatureFailed: true, anchor: undefined, head: { size: 0 } }],
  ])('is %s in case %#', (status, over) => {
    expect(verdict(examined(over)).signature_status).toBe(status)
  })
})

describe('chain_valid', () => {
  test.each<[boolean, Partial<Examined>]>([
    [true, {}],
    [true, { anchor: undefined }],
    [false, { findings: [finding(1)] }],
    [false, { last: lastFull([finding(1)]) }],
    [true, { last: lastFull([]) }],
    [false, { last: lastFull([unsigned]) }],
    [false, { signatureFailed: true }],
    [true, { openBreak: known }],
    [false, { openBreak: known, findings: [finding(1)] }],
    [false, { openBreak: known, mode: 'incremental' }],
    [false, { openBreak: known, mode: 'incremental', last: lastFull([]) }],
    [true, { openBreak: known, mode: 'incremental', last: lastFull([], '2026-11-20T10:00:00.001Z') }],
  ])('is %s in case %#', (valid, over) => {
    expect(verdict(examined(over)).chain_valid).toBe(valid)
  })
})

test('broken_links counts what was found before, too, until it is repaired', () => {
  expect(verdict(examined({ openBreak: known, mode: 'incremental' })).broken_links).toBe(1)
  expect(verdict(examined({ openBreak: known })).broken_links).toBe(0)
})

test('broken_links counts artifacts, not findings', () => {
  const findings = [finding(1), finding(1), finding(3)]

  expect(verdict(examined({ findings, last: lastFull([finding(3), finding(4)]) })).broken_links).toBe(3)
})

test('a bad signature breaks no link', () => {
  expect(verdict(examined({ last: lastFull([unsigned]) })).broken_links).toBe(0)
})

test('only what a good checkpoint covers is anchored', () => {
  expect(verdict(examined()).verification).toMatchObject({ anchored_through: 8, unanchored: 2 })

  const { verification } = verdict(examined({ signatureFailed: true }))
  expect(verification).toMatchObject({ anchored_through: 0, unanchored: 10 })
  expect(verification).not.toHaveProperty('checkpoint')
})

const tail = (over: Partial<Examined>) => verdict(examined(over)).verification.tail

test('the tail is what lies behind the checkpoint', () => {
  expect(tail({})).toEqual({ from: 8, to: 10, result: 'valid' })
  expect(tail({ findings: [finding(2)] }).result).toBe('valid')
  expect(tail({ findings: [finding(9)] }).result).toBe('broken')
  expect(tail({ complete: false }).result).toBe('partial')
})
