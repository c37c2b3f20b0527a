import { describe, expect, test } from 'vitest'
import { findPii } from '../../../../../shared/govern/governance/pii/find.ts'

const secretsIn = (text: string, key = '') =>
  findPii(text, key)
    .filter(({ type }) => type === 'SECRET')
    .map(({ start, end }) => text.slice(start, end))

const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
const AWS_SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'
const BLOCK = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow==\n-----END RSA PRIVATE KEY-----'

test.each([
  ['an AWS key id', 'AKIAIOSFODNN7EXAMPLE'],
  ['a JSON web token', JWT],
  ['a private key', BLOCK],
  ['a bearer token', 'Bearer abcdef0123456789abcdef'],
  // The vectors of the published key format.
  ['our own test key', 'ak_test_0000000000000000000000000000000001s5zib'],
  ['our own live key', 'ak_live_ABCDEFGHIJKLMNOPQRSTUVWXYZ012345640lJE3'],
])('%s is found in the middle of a text', (_, secret) => {
  expect(secretsIn(`use ${secret} please`)).toEqual([secret])
})

describe('an AWS secret', () => {
  test('is found beside its name, in the text or as the key', () => {
    expect(secretsIn(`aws_secret_access_key=${AWS_SECRET}`)).toEqual([])
    expect(secretsIn(`aws_secret_access_key: ${AWS_SECRET}`)).toEqual([AWS_SECRET])
    expect(secretsIn(AWS_SECRET, 'secretAccessKey')).toEqual([AWS_SECRET])
  })

  test('is not guessed from any 40 characters', () => {
    expect(secretsIn(AWS_SECRET)).toEqual([])
  })
})

test.each([
  ['a key with a wrong checksum', 'ak_test_0000000000000000000000000000000001s5zic'],
  ['a key that goes on', 'ak_test_0000000000000000000000000000000001s5zibX'],
  ['prose about bearers', 'Bearer authentication-is-described-here'],
  ['half a web token', 'eyJhbGciOiJIUzI1NiJ9.payload'],
  ['a public key', '-----BEGIN PUBLIC KEY-----'],
])('%s is none', (_, text) => {
  expect(secretsIn(text)).toEqual([])
})

test('a private key without an end reaches to the end of the text, and is found once', () => {
  const open = '-----BEGIN PRIVATE KEY-----'

  expect(secretsIn(`${open} ${open} MIIE`)).toEqual([`${open} ${open} MIIE`])
})
