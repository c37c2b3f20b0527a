import { generateKeyPairSync } from 'node:crypto'
import { beforeAll, describe, expect, test } from 'vitest'
import { certificateBody, certificateView, normalisedCertificate, weakness } from '../../../shared/sso/certificate.ts'
import { newSpKey } from '../../../shared/sso/sp-key.ts'

const NOW = Date.parse('2026-11-20T22:00:00Z')

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
