import { describe, expect, test } from 'vitest'
import { DEFAULT_SETTINGS } from '../../../../shared/govern/governance/settings.ts'
import { inspect } from '../../../../shared/govern/governance/payload/signals.ts'
import type { Json } from '../../../../shared/base/lib/json.ts'

const signalsOf = (payload: Json, domains: string[] = []) => inspect(payload, { ...DEFAULT_SETTINGS, domains }).signals

test('an empty payload has every signal that can be told of it', () => {
  expect(signalsOf({})).toEqual({
    recipients: 0,
    recipient_domains: [],
    external_domains: [],
    url_hosts: [],
    bulk_count: 0,
    wildcard: false,
    sql_write: false,
    shell: false,
    secrets: false,
    pii: [],
  })
})

describe('amount', () => {
  test.each<[Json, number | undefined]>([
    [{ amount: 12.5 }, 12.5],
    [{ items: [{ price: 3 }, { price: 7 }], total: 10 }, 10],
    [{ amount: { value: 4, currency: 'EUR' } }, 4],
    [{ totalAmount: '99.90' }, 99.9],
    [{ sum: '€ 12' }, 12],
    [{ amount: -3 }, 3],
    [{ amount: 'ten' }, undefined],
    [{ amount: '1.250,00' }, undefined],
    [{ amount: 5, price: '1,000' }, undefined],
    [{ count: 7 }, undefined],
  ])('of %j is %s', (payload, amount) => {
    expect(signalsOf(payload).amount).toBe(amount)
  })
})

describe('what limits add up', () => {
  test.each<[string, Json, number[]]>([
    ['one amount', { amount: 12.5 }, [12.5]],
    ['the lines of a list', { lines: [{ amount: 100 }, { amount: 100 }] }, [100, 100]],
    ['elements that are amounts', { amounts: [50, '60'] }, [50, 60]],
    ['lists in lists', { orders: [{ lines: [{ price: 1 }] }, { lines: [{ price: 2 }, { price: 3 }] }] }, [1, 2, 3]],
    ['the lines where they are more than the total says', { total: 10, lines: [{ price: 7 }, { price: 5 }] }, [7, 5]],
    ['the total where it is more than its lines', { total: 10, lines: [{ price: 3 }, { price: 7 }] }, [10]],
    ['no two members of one object', { amount: 3, price: 4 }, [4]],
  ])('%s', (_, payload, amounts) => {
    expect(inspect(payload, DEFAULT_SETTINGS).amounts).toEqual(amounts)
  })

  test('members that the manifest calls amounts', () => {
    const roles = [{ steps: ['lines', '*', 'size'], role: 'amount' as const }]
    const payload = { lines: [{ size: 4 }, { size: 5 }] }
    expect(inspect(payload, DEFAULT_SETTINGS, { roles }).amounts).toEqual([4, 5])
  })
})

describe('currency', () => {
  test.each<[Json, string | undefined]>([
    [{ currency: 'eur' }, 'EUR'],
    [{ a: { currency: 'EUR' }, b: { currency: 'eur' } }, 'EUR'],
    [{ a: { currency: 'EUR' }, b: { currency: 'USD' } }, undefined],
    [{ currency: 'Euro' }, undefined],
  ])('of %j is %s', (payload, currency) => {
    expect(signalsOf(payload).currency).toBe(currency)
  })
})

describe('recipients', () => {
  test('are counted over lists, names and separators, with the hosts outside', () => {
    const payload = {
      to: 'Ann <ann@acme.example>; bob@partner.example',
      ccEmails: ['c@acme.example', 'd@Other.Example'],
      phone: 12345,
    }

    expect(signalsOf(payload, ['acme.example'])).toMatchObject({
      recipients: 5,
      recipient_domains: ['acme.example', 'partner.example', 'other.example', 'tel'],
      external_domains: ['partner.example', 'other.example', 'tel'],
    })
  })

  test.each([
    ['ann@acme.example,bob@evil.example', 'evil.example'],
    ['https://evil.example/hook', 'evil.example'],
    ['ann@evil.example.', 'evil.example'],
  ])('%j does not hide %s', (to, host) => {
    expect(signalsOf({ to }, ['acme.example']).external_domains).toEqual([host])
  })

  test.each(['@ann', '"ann@acme.example"@evil.example', 'ann@acme.example\\@evil', 'ann@[192.0.2.1]'])(
    '%j cannot be told to be inside',
    (to) => {
      const { external, signals } = inspect(
        { to, cc: 'b@acme.example' },
        { ...DEFAULT_SETTINGS, domains: ['acme.example'] },
      )

      expect(external).toBe(true)
      expect(signals).not.toHaveProperty('external_domains')
      expect(signals).not.toHaveProperty('recipient_domains')
    },
  )

  test('an international domain of the tenant is known in both spellings', () => {
    expect(signalsOf({ to: 'a@xn--mller-kva.example' }, ['müller.example']).external_domains).toEqual([])
    expect(signalsOf({ to: 'a@müller.example' }, ['müller.example']).external_domains).toEqual([])
  })
})

test.each(['+49 30 1234567', '+4930123456'])('the number %j is outside, and in no domain', (to) => {
  expect(signalsOf({ to: to.replaceAll(' ', '') })).toMatchObject({
    recipient_domains: ['tel'],
    external_domains: ['tel'],
  })
})

test('a field for numbers hides no mail address', () => {
  expect(signalsOf({ phone: 'bob@evil.example' }).recipient_domains).toEqual(['evil.example'])
})

test('the longest list counts, at any depth', () => {
  expect(signalsOf({ a: [1, 2], b: { c: [[1, 2, 3], 4] } }).bulk_count).toBe(3)
})

test('members of a filter are no wildcards, elements of ids are', () => {
  expect(signalsOf({ filter: { status: 'all' } }).wildcard).toBe(false)
  expect(signalsOf({ user_ids: ['7', 'ALL'] }).wildcard).toBe(true)
})

describe('personal data', () => {
  const payload = { list: [{ note: 'mail ann@example.com' }], 'bob@example.com': 1 }

  test('is found in values and names, with the member that holds them', () => {
    const { findings, signals } = inspect(payload, DEFAULT_SETTINGS)

    expect(findings).toMatchObject([
      { type: 'EMAIL', start: 5, end: 20, member: { name: 'note', parent: { name: '0' } } },
      { type: 'EMAIL', start: 0, end: 15, member: { name: 'bob@example.com' }, in_key: true },
    ])
    expect(signals.pii).toEqual(['EMAIL'])
  })

  test('is not looked for in mode off, but secrets still count', () => {
    const off = inspect({ a: 'ann@example.com', b: 'AKIAIOSFODNN7EXAMPLE' }, { ...DEFAULT_SETTINGS, pii_mode: 'off' })

    expect(off).toMatchObject({ findings: [], signals: { pii: [], secrets: true } })
  })

  test('the name of a member is context for its value and for the elements of its list', () => {
    expect(signalsOf({ mobile: ['415 555 2671'] }).pii).toEqual(['PHONE'])
  })

  test('beyond 256 Ki characters nothing is searched, and that is told', () => {
    const long = inspect({ a: 'x'.repeat(262_143), b: 'ann@example.com' }, DEFAULT_SETTINGS)

    expect(long).toMatchObject({ findings: [], truncated: true })
    expect(inspect({ a: 'x' }, DEFAULT_SETTINGS).truncated).toBe(false)
  })
})
