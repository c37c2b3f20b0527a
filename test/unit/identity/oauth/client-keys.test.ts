import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { keysProblem } from '../../../../shared/identity/oauth/clients/client-rules.ts'

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const good = { ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig' }

test('public keys that can be read are taken', () => {
  expect(keysProblem([good, { ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }) }])).toBeUndefined()
})

test.each<[string, Record<string, unknown>[], RegExp]>([
  ['no key', [], /no key/],
  ['a private key', [good, { ...privateKey.export({ format: 'jwk' }) }], /private/],
  ['a secret', [{ kty: 'oct', k: 'c2VjcmV0' }], /private/],
  ['a key of no kind', [{}], /read/],
  ['half a key', [{ kty: 'RSA', e: 'AQAB' }], /read/],
  ['a point that is not on its curve', [{ ...good, y: good.x }], /read/],
  ['a name that is no text', [{ ...good, kid: 5 }], /read/],
  ['a chain that is none', [{ ...good, x5c: 'MIIB' }], /read/],
])('%s is refused as a client key', (_, keys, says) => {
  expect(keysProblem(keys)).toMatch(says)
})
