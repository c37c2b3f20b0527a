// Makes X.509 certificates (RFC 5280) for tests, so that no private key lies in the repository and none of them expires.
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'

const der = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}
const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts)
const hexOid = (hex: string) => der(0x06, Buffer.from(hex, 'hex'))
const utcTime = (ms: number) =>
  der(0x17, Buffer.from(`${new Date(ms).toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))
const name = (common: string) => sequence(der(0x31, sequence(hexOid('550403'), der(0x0c, Buffer.from(common)))))

const ECDSA_SHA256 = sequence(hexOid('2a8648ce3d040302'))
const extension = (oid: string, value: Uint8Array) => sequence(hexOid(oid), der(0x04, value))
const isAuthority = extension('551d13', sequence(der(0x01, Buffer.from([0xff]))))
const altName = (host: string) => extension('551d11', sequence(der(0x82, Buffer.from(host))))

export type Certificate = { key: string; cert: string }

const DAY = 86_400_000
let serial = 0

/** A certificate for `host`, signed by `by` or by itself, valid for a day around the present or until yesterday. */
export function certificate(host: string, options: { by?: Certificate; expired?: boolean } = {}): Certificate {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuerKey: KeyObject = options.by ? createPrivateKey(options.by.key) : keys.privateKey
  const end = Date.now() + (options.expired ? -DAY : DAY) // certificates are checked against the real time
  serial += 1
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([serial])),
    ECDSA_SHA256,
    name(options.by ? 'Test authority' : host),
    sequence(utcTime(end - 2 * DAY), utcTime(end)),
    name(host),
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...(options.by ? [altName(host)] : [isAuthority]))),
  )
  const bits = der(0x03, Buffer.from([0]), sign('sha256', body, issuerKey))
  const lines =
    sequence(body, ECDSA_SHA256, bits)
      .toString('base64')
      .match(/.{1,64}/g) ?? []
  return {
    key: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  }
}
