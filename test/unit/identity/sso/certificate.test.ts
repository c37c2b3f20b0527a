import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  certificateBody,
  certificateView,
  normalisedCertificate,
  weakness,
} from '../../../../shared/identity/sso/saml/certificate.ts'
import { newSpKey } from '../../../../shared/identity/sso/settings/encryption-keys.ts'

const NOW = Date.parse('2026-11-20T22:00:00Z')

/** As DER writes them: the kind of the key, and the beginning of a time. */
const RSA_ENCRYPTION = Buffer.from('2a864886f70d010101', 'hex')
const UTC_TIME = Buffer.from('170d', 'hex')

let pem: string
let key: string
beforeAll(async () => {
  const made = await newSpKey('ten_1', NOW)
  pem = made.certificate
  key = made.private_key
})

describe('a certificate', () => {
  test('is the same as PEM, as base64 and with line ends anywhere', () => {
    const same = normalisedCertificate(pem)

    expect(same).toContain('BEGIN CERTIFICATE')
    expect(normalisedCertificate(certificateBody(pem))).toBe(same)
    expect(normalisedCertificate(`\r\n ${pem.replaceAll('\n', '\r\n')} `)).toBe(same)
  })

  test('is nothing else', () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

    for (const text of ['', 'AAAA', key, publicKey.export({ type: 'spki', format: 'pem' }).toString(), '<xml/>']) {
      expect(normalisedCertificate(text)).toBeUndefined()
    }
  })

  test('has a key that can be trusted and an end that can be read', () => {
    const der = Buffer.from(certificateBody(pem), 'base64')
    const unknownKey = Buffer.from(der)
    unknownKey[der.indexOf(RSA_ENCRYPTION) + RSA_ENCRYPTION.length - 1] = 0x7f
    const end = der.indexOf(UTC_TIME, der.indexOf(UTC_TIME) + 1) + UTC_TIME.length
    const noEnd = Buffer.from(der).fill('9', end, end + 12)

    // Whether a key of an unknown kind can be read at all depends on the build of OpenSSL; trusted it is nowhere.
    const read = normalisedCertificate(unknownKey.toString('base64'))
    expect(read === undefined || weakness(read) !== undefined).toBe(true)
    expect(normalisedCertificate(noEnd.toString('base64'))).toBeUndefined()
  })

  test('is shown without its key', () => {
    expect(certificateView(pem)).toEqual({
      subject: 'CN=ten_1',
      valid_to: '2036-11-17T22:00:00.000Z',
      fingerprint: expect.stringMatching(/^[\dA-F:]{95}$/),
    })
  })

  test('of 2048 bits is strong enough', () => {
    expect(weakness(pem)).toBeUndefined()
  })
})
