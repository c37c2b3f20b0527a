import { expect, test } from 'vitest'
import {
  byKind,
  higherKind,
  isHigher,
  KIND_NAMES,
  KINDS,
  maxTier,
  stepUp,
  TIERS,
} from '../../../../shared/base/catalog/kinds.ts'

test('tiers are ordered AUTO, SOFT, HARD', () => {
  for (const [i, tier] of TIERS.entries()) {
    for (const [j, other] of TIERS.entries()) expect(maxTier(tier, other)).toBe(TIERS[Math.max(i, j)])
  }
})

test('what is absent has no say in the strictest tier', () => {
  expect(maxTier()).toBe('AUTO')
  expect(maxTier(undefined, 'SOFT', undefined)).toBe('SOFT')
})

test('a step up is one tier and stops at HARD', () => {
  expect(TIERS.map(stepUp)).toEqual(['SOFT', 'HARD', 'HARD'])
})

test.each(byKind(KINDS))('the tier of %s is at least its class floor, and its risk lies within 0..100', (_, row) => {
  expect(maxTier(row.tier, row.classFloor)).toBe(row.tier)
  expect(row.risk).toBeGreaterThanOrEqual(0)
  expect(row.risk).toBeLessThanOrEqual(100)
})

test('exactly the kinds that people must approve by specification have a class floor', () => {
  const floored = KIND_NAMES.filter((kind) => KINDS[kind].classFloor !== 'AUTO')

  expect(floored).toEqual(['email', 'message_external', 'deploy', 'delete', 'payment'])
})

test('a kind of a stricter tier is higher than any kind of a looser one', () => {
  for (const kind of KIND_NAMES) {
    for (const other of KIND_NAMES) {
      if (KINDS[kind].tier !== KINDS[other].tier) {
        expect(isHigher(kind, other)).toBe(maxTier(KINDS[kind].tier, KINDS[other].tier) === KINDS[kind].tier)
      }
    }
  }
})

test('of two equal kinds the first stays', () => {
  expect(higherKind('email', 'message_external')).toBe('email')
  expect(higherKind('message_external', 'email')).toBe('message_external')
  expect(higherKind('update', 'delete')).toBe('delete')
})
