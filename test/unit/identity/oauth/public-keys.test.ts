import { createPublicKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { jwkOf } from '../../../../shared/identity/oauth/public-keys.ts'

/** RFC 7638, section 3.1. */
const N =
  '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw'

test('a key is named by its thumbprint', () => {
  const key = createPublicKey({ key: { kty: 'RSA', n: N, e: 'AQAB' }, format: 'jwk' })

  expect(jwkOf(key.export({ format: 'der', type: 'spki' }))).toEqual({
    kty: 'RSA',
    n: N,
    e: 'AQAB',
    kid: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs',
    use: 'sig',
    alg: 'RS256',
  })
})
