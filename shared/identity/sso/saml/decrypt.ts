// Opens an encrypted assertion (XML Encryption 1.1). Only RSA-OAEP for the key and AES for the content: with RSA PKCS #1 v1.5 and
// Triple DES a service provider becomes an oracle. The result is a response written anew with nothing but the parts that are checked.
// All checks of plain responses then run on it: nothing is believed because it was encrypted, since everybody can encrypt for us. Pure.
import { constants, createDecipheriv, privateDecrypt } from 'node:crypto'
import { isUtf8 } from 'node:buffer'
import { type InvalidMessage, invalidMessage, seen } from '../refusal.ts'
import { ASSERTION, ENCRYPTION, ENCRYPTION_11, PROTOCOL, SIGNATURE } from './messages.ts'
import { childNamed, childrenNamed, type Element, textOf, xml, XmlError } from './xml.ts'
import { type Message, openResponse, readSafely } from './response.ts'

/** Mode and key length (bits) by algorithm. */
const CIPHERS: ReadonlyMap<string, { mode: 'gcm' | 'cbc'; bits: 128 | 256 }> = new Map([
  [`${ENCRYPTION_11}aes128-gcm`, { mode: 'gcm', bits: 128 }],
  [`${ENCRYPTION_11}aes256-gcm`, { mode: 'gcm', bits: 256 }],
  [`${ENCRYPTION}aes128-cbc`, { mode: 'cbc', bits: 128 }],
  [`${ENCRYPTION}aes256-cbc`, { mode: 'cbc', bits: 256 }],
])

/** The hash by its names as digest and in the mask generation function. Node uses one hash for both. */
const HASHES: ReadonlyMap<string, string> = new Map([
  [`${SIGNATURE}sha1`, 'sha1'],
  [`${ENCRYPTION_11}mgf1sha1`, 'sha1'],
  [`${ENCRYPTION}sha256`, 'sha256'],
  [`${ENCRYPTION_11}mgf1sha256`, 'sha256'],
])

/** `encrypted`: an EncryptedAssertion. The plain assertion is not verified yet. Throws 401, XmlError. */
function decryptedAssertion(encrypted: Element, private_keys: readonly string[]): string {
  const data = childNamed(encrypted, ENCRYPTION, 'EncryptedData')
  const method = algorithmOf(data)
  const cipher = CIPHERS.get(method ?? '')
  if (!data || !cipher) throw unsupported('content', method)
  const wrapped = onlyKey(encrypted, data)
  const hash = hashOfOaep(wrapped)
  const key = unwrapped(cipherValue(wrapped), hash, private_keys)
  if (key?.length !== cipher.bits / 8) throw unreadable()
  const plain = cipher.mode === 'gcm' ? openGcm(key, cipherValue(data)) : openCbc(key, cipherValue(data))
  if (!plain || !isUtf8(plain)) throw unreadable()
  return plain.toString()
}

/** The same for all that fails with a key, so that nothing is learnt of the content from how it fails. */
const unreadable = (): InvalidMessage =>
  invalidMessage(
    'encryption',
    'The assertion cannot be decrypted. The provider must use the certificate in our metadata.',
  )

const unsupported = (what: string, method: string | undefined): InvalidMessage =>
  invalidMessage(
    'encryption',
    `The ${what} is encrypted with ${seen(method)}. Accepted are RSA-OAEP and AES-GCM or AES-CBC.`,
  )

const methodOf = (of: Element | undefined) => childNamed(of, ENCRYPTION, 'EncryptionMethod')
const algorithmOf = (of: Element | undefined) => methodOf(of)?.attributes.get('Algorithm')

/** The key is in the KeyInfo of the data, or beside the data. Several would be for several recipients. */
function onlyKey(encrypted: Element, data: Element): Element {
  const inside = childrenNamed(childNamed(data, SIGNATURE, 'KeyInfo'), ENCRYPTION, 'EncryptedKey')
  const [key, other] = [...inside, ...childrenNamed(encrypted, ENCRYPTION, 'EncryptedKey')]
  if (!key || other) throw new XmlError('does not hold exactly one encrypted key')
  return key
}

function hashOfOaep(wrapped: Element): string {
  const algorithm = algorithmOf(wrapped)
  const isOld = algorithm === `${ENCRYPTION}rsa-oaep-mgf1p`
  if (!isOld && algorithm !== `${ENCRYPTION_11}rsa-oaep`) throw unsupported('key', algorithm)
  const method = methodOf(wrapped)
  if (childNamed(method, ENCRYPTION, 'OAEPparams')) throw unsupported('key', 'OAEPparams')
  const hashOf = (element: Element | undefined) => {
    const name = element?.attributes.get('Algorithm')
    return name === undefined ? 'sha1' : HASHES.get(name)
  }
  const digest = hashOf(childNamed(method, SIGNATURE, 'DigestMethod'))
  const mask = isOld ? 'sha1' : hashOf(childNamed(method, ENCRYPTION_11, 'MGF'))
  if (digest === undefined || digest !== mask) throw unsupported('key', `${algorithm} with two hashes`)
  return digest
}

function cipherValue(of: Element): Buffer {
  const text = textOf(childNamed(childNamed(of, ENCRYPTION, 'CipherData'), ENCRYPTION, 'CipherValue'))
  return Buffer.from(text ?? '', 'base64')
}

function unwrapped(wrapped: Buffer, oaepHash: string, private_keys: readonly string[]): Buffer | undefined {
  const padding = constants.RSA_PKCS1_OAEP_PADDING
  return firstOf(private_keys, (key) => privateDecrypt({ key, padding, oaepHash }, wrapped))
}

function firstOf(all: readonly string[], run: (one: string) => Buffer): Buffer | undefined {
  for (const one of all) {
    const found = attempt(() => run(one))
    if (found) return found
  }
  return undefined
}

function attempt(run: () => Buffer): Buffer | undefined {
  try {
    return run()
  } catch {
    return undefined // the caller answers every failure alike
  }
}

const IV_BYTES = { gcm: 12, cbc: 16 } as const
const TAG_BYTES = 16

const openGcm = (key: Buffer, sealed: Buffer): Buffer | undefined =>
  attempt(() => {
    const end = sealed.length - TAG_BYTES
    const iv = sealed.subarray(0, IV_BYTES.gcm)
    const cipher = createDecipheriv(key.length === 16 ? 'aes-128-gcm' : 'aes-256-gcm', key, iv, {
      authTagLength: TAG_BYTES,
    })
    cipher.setAuthTag(sealed.subarray(end))
    return Buffer.concat([cipher.update(sealed.subarray(IV_BYTES.gcm, end)), cipher.final()])
  })

/** Only the last byte of the padding says something (XML Encryption 1.1, section 5.2). */
const openCbc = (key: Buffer, sealed: Buffer): Buffer | undefined =>
  attempt(() => {
    const cipher = createDecipheriv(
      key.length === 16 ? 'aes-128-cbc' : 'aes-256-cbc',
      key,
      sealed.subarray(0, IV_BYTES.cbc),
    )
    cipher.setAutoPadding(false)
    const padded = Buffer.concat([cipher.update(sealed.subarray(IV_BYTES.cbc)), cipher.final()])
    const padding = padded.at(-1) ?? 0
    if (padding < 1 || padding > 16) throw new RangeError('padding')
    return padded.subarray(0, padded.length - padding)
  })

const encryptedIn = ({ root }: Message): Element | undefined => childNamed(root, ASSERTION, 'EncryptedAssertion')

export const isEncrypted = (message: Message): boolean => readSafely(() => encryptedIn(message) !== undefined)

/** Throws 401. The signature of the response covers the encrypted text, so it ends here; the signature of the assertion counts. */
export function plainResponse(message: Message, private_keys: readonly string[]): Message {
  return readSafely(() => {
    const { root } = message
    const encrypted = encryptedIn(message)
    const assertion = encrypted ? decryptedAssertion(encrypted, private_keys) : ''
    const text = `${openingOf(root)}${assertion}</samlp:Response>`
    return openResponse(Buffer.from(text).toString('base64'))
  })
}

function openingOf(root: Element): string {
  const { attributes } = root
  const kept = ['ID', 'InResponseTo', 'Destination', 'IssueInstant', 'Version'].flatMap((name) => {
    const value = attributes.get(name)
    return value === undefined ? [] : [` ${name}="${xml`${value}`}"`]
  })
  const issuer = textOf(childNamed(root, ASSERTION, 'Issuer'))
  const code = childNamed(childNamed(root, PROTOCOL, 'Status'), PROTOCOL, 'StatusCode')
  const status = code?.attributes.get('Value') ?? ''
  return [
    xml`<samlp:Response xmlns:samlp="${PROTOCOL}" xmlns:saml="${ASSERTION}"`,
    `${kept.join('')}>`,
    issuer === undefined ? '' : xml`<saml:Issuer>${issuer}</saml:Issuer>`,
    xml`<samlp:Status><samlp:StatusCode Value="${status}"/></samlp:Status>`,
  ].join('')
}
