import { generateKeyPairSync, sign } from 'node:crypto'
import { deflateRawSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  inflated,
  isSigned,
  MESSAGE_BYTES_MAX,
  signedUrl,
  type SignedQuery,
} from '../../../../shared/identity/sso/saml/redirect-binding.ts'
import { newSpKey } from '../../../../shared/identity/sso/settings/encryption-keys.ts'

type Key = Awaited<ReturnType<typeof newSpKey>>

let ours: Key
let other: Key
beforeAll(async () => {
  ours = await newSpKey('ten_1', 0)
  other = await newSpKey('ten_2', 0)
})

const urlOf = (target: string, relay_state?: string) =>
  new URL(signedUrl(target, { kind: 'SAMLRequest', message: '<a/>', relay_state, private_key: ours.private_key }))

function queryOf(url: URL): SignedQuery {
  const { SAMLRequest: value = '', ...query } = Object.fromEntries(url.searchParams)
  return { kind: 'SAMLRequest', value, ...query }
}

describe('a signed address', () => {
  test('carries the message, and is signed with our key and no other', () => {
    const query = queryOf(urlOf('https://idp.example/sso', 'a b+c'))

    expect(inflated(query.value)).toBe('<a/>')
    expect(isSigned(query, [ours.certificate])).toBe(true)
    expect(isSigned(query, [other.certificate, ours.certificate])).toBe(true)
    expect(isSigned(query, [other.certificate])).toBe(false)
  })

  test('keeps the query that the provider’s address has', () => {
    const url = urlOf('https://idp.example/sso?idp=7')

    expect(url.searchParams.get('idp')).toBe('7')
    expect(isSigned(queryOf(url), [ours.certificate])).toBe(true)
  })

  test('is not signed any more when anything of it changes', () => {
    const query = queryOf(urlOf('https://idp.example/sso', 'state'))

    expect(isSigned({ ...query, RelayState: 'other' }, [ours.certificate])).toBe(false)
    expect(isSigned({ ...query, RelayState: undefined }, [ours.certificate])).toBe(false)
    expect(isSigned({ ...query, value: deflateRawSync('<b/>').toString('base64') }, [ours.certificate])).toBe(false)
    expect(isSigned({ ...query, kind: 'SAMLResponse' }, [ours.certificate])).toBe(false)
    expect(isSigned({ ...query, Signature: undefined }, [ours.certificate])).toBe(false)
    expect(isSigned({ ...query, SigAlg: undefined }, [ours.certificate])).toBe(false)
    expect(isSigned({ ...query, SigAlg: query.SigAlg?.replace('256', '512') }, [ours.certificate])).toBe(false)
  })

  test('by SHA-1 is not signed', () => {
    const SigAlg = 'http://www.w3.org/2000/09/xmldsig#rsa-sha1'
    const text = `SAMLRequest=AAAA&SigAlg=${encodeURIComponent(SigAlg)}`
    const Signature = sign('sha1', Buffer.from(text), ours.private_key).toString('base64')

    expect(isSigned({ kind: 'SAMLRequest', value: 'AAAA', SigAlg, Signature }, [ours.certificate])).toBe(false)
  })

  test('by an elliptic curve is signed in the form of XML Signature', () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const SigAlg = 'http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256'
    const text = Buffer.from(`SAMLRequest=AAAA&SigAlg=${encodeURIComponent(SigAlg)}`)
    const Signature = sign('sha256', text, { key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64')
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()

    expect(isSigned({ kind: 'SAMLRequest', value: 'AAAA', SigAlg, Signature }, [pem])).toBe(true)
    expect(isSigned({ kind: 'SAMLRequest', value: 'AAAA', SigAlg, Signature }, [ours.certificate])).toBe(false)
  })
})

describe('inflating', () => {
  test('stops at the longest message that there may be', () => {
    const deflated = (bytes: number) => deflateRawSync(Buffer.alloc(bytes, 'a')).toString('base64')

    expect(inflated(deflated(MESSAGE_BYTES_MAX))).toHaveLength(MESSAGE_BYTES_MAX)
    expect(inflated(deflated(MESSAGE_BYTES_MAX + 1))).toBeUndefined()
    expect(inflated(deflated(50_000_000))).toBeUndefined()
  })

  test('gives nothing for what is not deflated', () => {
    expect(inflated(Buffer.from('<a/>').toString('base64'))).toBeUndefined()
    expect(inflated('')).toBeUndefined()
  })
})
