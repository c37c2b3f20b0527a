import { describe, expect, test } from 'vitest'
import { mustBeOwnable, normaliseDomain } from '../../../../shared/identity/domains/request.ts'

const invalid = expect.objectContaining({ kind: 'invalid' })
const HOSTS = ['api.countersign.example', 'app.countersign.example']

describe('a name is read as DNS reads it', () => {
  test.each([
    ['Acme.Example', 'acme.example'],
    ['acme.example.', 'acme.example'],
    [' acme.example ', 'acme.example'],
    ['bücher.example', 'xn--bcher-kva.example'],
    ['例え.jp', 'xn--r8jz45g.jp'],
    ['corp.eu.acme.example', 'corp.eu.acme.example'],
  ])('%s is %s', (text, domain) => {
    expect(normaliseDomain(text)).toBe(domain)
  })

  test.each([
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '::1',
    '[::1]',
    'localhost',
    'com',
    '*.acme.example',
    'acme..example',
    '.acme.example',
    'acme.example..',
    '_dmarc.acme.example',
    '-acme.example',
    'acme-.example',
    'ac me.example',
    'acme.example/path',
    'acme.example:443',
    'user@acme.example',
    'https://acme.example',
    `${'a'.repeat(64)}.example`,
    `${'a.'.repeat(120)}example`,
    '',
    '.',
  ])('%j is refused', (text) => {
    expect(() => normaliseDomain(text)).toThrow(invalid)
  })
})

describe('what many people share belongs to nobody', () => {
  test.each(['co.uk', 'github.io', 'com.au', 'gmail.com', 'mail.gmail.com', 'yahoo.co.uk', 'proton.me'])(
    '%s is refused',
    async (domain) => {
      await expect(mustBeOwnable(domain, HOSTS)).rejects.toThrow(invalid)
    },
  )

  test.each(['api.countersign.example', 'countersign.example', 'x.api.countersign.example'])(
    'our own %s is refused',
    async (domain) => {
      await expect(mustBeOwnable(domain, HOSTS)).rejects.toThrow(invalid)
    },
  )

  test.each(['acme.example', 'acme.co.uk', 'acme.github.io', 'notgmail.com', 'acme.com'])(
    '%s may be asked for',
    async (domain) => {
      await expect(mustBeOwnable(domain, HOSTS)).resolves.toBeUndefined()
    },
  )
})
