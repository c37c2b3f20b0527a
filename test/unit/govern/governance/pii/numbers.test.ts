import { describe, expect, test } from 'vitest'
import { findPii } from '../../../../../shared/govern/governance/pii/find.ts'
import { passesLuhn } from '../../../../../shared/govern/governance/pii/numbers.ts'

const typesIn = (text: string, key = '') => findPii(text, key).map(({ type }) => type)

describe('CREDIT_CARD', () => {
  test.each([
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4111111111111111',
    '5555555555554444',
    '2223003122003222',
    '378282246310005',
    '3782 822463 10005',
    '6011111111111117',
    '3530111333300000',
    '30569309025904',
    'card: 4012888888881881.',
  ])('%j is a card', (text) => {
    expect(typesIn(text)).toEqual(['CREDIT_CARD'])
  })

  test.each([
    ['an order number that fails Luhn', '4111111111111112'],
    ['an unknown prefix that passes Luhn', '1234567812345670'],
    ['mixed separators', '4111 1111-1111 1111'],
    ['part of a longer number', '94111111111111111'],
    ['part of a word', 'x4111111111111111'],
    ['too short', '41111111111'],
  ])('%s is none: %j', (_, text) => {
    expect(typesIn(text)).toEqual([])
  })

  test.each([
    ['79927398713', true],
    ['79927398710', false],
    ['0', true],
  ])('Luhn of %s: %s', (digits, passes) => {
    expect(passesLuhn(digits)).toBe(passes)
  })
})

describe('IBAN', () => {
  test.each([
    'DE89370400440532013000',
    'DE89 3704 0044 0532 0130 00',
    'GB82-WEST-1234-5698-7654-32',
    'gb82 west 1234 5698 7654 32',
    'NO9386011117947',
    'MT84MALT011000012345MTLCAST001S',
  ])('%j is one', (text) => {
    expect(typesIn(text)).toEqual(['IBAN'])
  })

  test('ends where its country says, whatever follows', () => {
    expect(findPii('to DE89 3704 0044 0532 0130 00 today')).toEqual([{ type: 'IBAN', start: 3, end: 30 }])
  })

  test('is found behind a look-alike start', () => {
    expect(typesIn('AB12 DE89370400440532013000')).toEqual(['IBAN'])
  })

  test.each(['DE88370400440532013000', 'XX89370400440532013000', 'DE8937040044053201300', 'DE89  370400440532013000'])(
    '%j is none',
    (text) => {
      expect(typesIn(text)).toEqual([])
    },
  )
})

describe('US_SSN', () => {
  test.each(['536-90-4399', '536 90 4399', '536.90.4399'])('%j is one', (text) => {
    expect(typesIn(text)).toEqual(['US_SSN'])
  })

  test.each([
    '000-12-3456',
    '666-12-3456',
    '900-12-3456',
    '536-00-4399',
    '536-90-0000',
    '536-90 4399',
    '536904399',
    '078-05-1120',
    '219-09-9999',
    '1536-90-4399',
  ])('%j is none', (text) => {
    expect(typesIn(text)).toEqual([])
  })
})
