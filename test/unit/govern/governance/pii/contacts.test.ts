import { describe, expect, test } from 'vitest'
import { findPii } from '../../../../../shared/govern/governance/pii/find.ts'

const found = (text: string, key = '') =>
  findPii(text, key).map(({ type, start, end }) => `${type} ${text.slice(start, end)}`)

describe('EMAIL', () => {
  test.each([
    ['mail ann@example.com now', 'ann@example.com'],
    ['<ann.b+tag@mail.example.co.uk>', 'ann.b+tag@mail.example.co.uk'],
    ['jürgen@müller.example', 'jürgen@müller.example'],
    ['x@xn--mller-kva.example', 'x@xn--mller-kva.example'],
    ['用户@例子.公司', '用户@例子.公司'],
    ['ann@example.com.', 'ann@example.com'],
  ])('%j holds %j', (text, address) => {
    expect(found(text)).toEqual([`EMAIL ${address}`])
  })

  test.each(['ann@localhost', '@example.com', 'ann@', 'ann@example.c', 'ann@10.0', 'a @ b.com'])(
    '%j holds none',
    (text) => {
      expect(found(text)).toEqual([])
    },
  )

  test('several in one text are found apart', () => {
    expect(found('a@b.example,c@d.example')).toEqual(['EMAIL a@b.example', 'EMAIL c@d.example'])
  })
})

describe('PHONE', () => {
  test.each(['+14155552671', '+1 (415) 555-2671', '+49 30 1234567', '+44-20-7946-0958'])(
    '%j is one by its plus',
    (text) => {
      expect(found(`call ${text} soon`)).toEqual([`PHONE ${text}`])
    },
  )

  test.each([
    ['phone: 415-555-2671', ''],
    ['(415) 555-2671', 'phoneNumber'],
    ['415 555 2671', 'mobile_number'],
    ['415 555 2671 (cell)', ''],
  ])('%j under key %j is one by its context', (text, key) => {
    expect(found(text, key)).toHaveLength(1)
  })

  test.each([
    ['415-555-2671', ''],
    ['order 4155552671', 'order_id'],
    ['call me on 2026-01-15', ''],
    ['+1234567', ''],
    ['+1234567890123456', ''],
    ['1+12345678', ''],
  ])('%j under key %j is none', (text, key) => {
    expect(found(text, key)).toEqual([])
  })
})

describe('IP', () => {
  test.each([
    '10.0.0.1',
    '255.255.255.255',
    '2001:db8::1',
    '::1',
    '::ffff:192.0.2.1',
    'fe80::1%eth0',
    '2001:DB8:0:0:0:0:0:1',
  ])('%j is an address', (text) => {
    expect(found(`from ${text}.`)).toEqual([`IP ${text}`])
  })

  test('a label glued to the address does not hide it', () => {
    expect(found('ip:fe80::1')).toEqual(['IP fe80::1'])
  })

  test.each([
    '256.1.1.1',
    '1.2.3',
    '1.2.3.4.5',
    'v1.2.3.4',
    '12:30:45',
    'std::vector',
    '::',
    'a:b',
    '1:2:3:4:5:6:7:8:9',
  ])('%j is none', (text) => {
    expect(found(text)).toEqual([])
  })
})

describe('DATE_OF_BIRTH', () => {
  test.each([
    ['born 1980-02-29', ''],
    ['DOB: 02/29/1980', ''],
    ['date of birth 29.02.1980', ''],
    ['born on 29 February 1980', ''],
    ['February 29, 1980', 'birthDate'],
    ['1980-02-29', 'birth_date'],
    ['1980-02-29', 'dob'],
  ])('%j under key %j is one', (text, key) => {
    expect(found(text, key)).toHaveLength(1)
  })

  test.each([
    ['due 1980-02-29', ''],
    ['1980-02-29', 'created_at'],
  ])('%j under key %j is only a date', (text, key) => {
    expect(found(text, key)).toEqual([])
  })
})
