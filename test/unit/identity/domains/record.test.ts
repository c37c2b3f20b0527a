import { describe, expect, test } from 'vitest'
import { newToken, readRecords, recordName, recordValue } from '../../../../shared/identity/domains/view.ts'

const TOKEN = 'A'.repeat(52)

test('a token is 32 random bytes in base32 without padding', () => {
  const random = (size: number) => new Uint8Array(size).fill(255)

  expect(newToken(random)).toBe(`7${'Z'.repeat(25)}7${'Z'.repeat(25)}`)
})

test('the record is a token under a name of our own', () => {
  expect(recordName('acme.example')).toBe('_countersign-verify.acme.example')
  expect(recordValue(TOKEN)).toBe(`token=${TOKEN}`)
})

describe('records at the name', () => {
  test.each([
    ['the value as given', [[`token=${TOKEN}`]]],
    ['the token alone', [[TOKEN]]],
    ['further keys behind it', [[`token=${TOKEN} expiry=2027-01-01`]]],
    ['a value in several strings', [['token=', TOKEN.slice(0, 20), TOKEN.slice(20)]]],
    ['white space around it', [[` token=${TOKEN} `]]],
    ['one of several records', [['v=spf1 -all'], [`token=${'B'.repeat(52)}`], [`token=${TOKEN}`]]],
  ])('%s prove the control', (_, records) => {
    expect(readRecords(records, TOKEN)).toBe('match')
  })

  test.each([
    ['another token', [[`token=${'B'.repeat(52)}`]]],
    ['half the token', [[`token=${TOKEN.slice(0, 26)}`]]],
    ['a longer token', [[`token=${TOKEN}A`]]],
    ['the token in other case', [[`token=${TOKEN.toLowerCase()}`]]],
    ['the token behind another key', [[`expiry=2027 token=${TOKEN}`]]],
    ['the token among other words', [[`${TOKEN} hello`]]],
    ['a token over two records', [[`token=${TOKEN.slice(0, 26)}`], [TOKEN.slice(26)]]],
    ['an empty string', [['']]],
  ])('%s prove nothing', (_, records) => {
    expect(readRecords(records, TOKEN)).toBe('mismatch')
  })

  test('none is not the same as a wrong one', () => {
    expect(readRecords([], TOKEN)).toBe('not_found')
  })
})
