// What an identity provider does that encrypts its assertions.
import { constants, createCipheriv, publicEncrypt, randomBytes, X509Certificate } from 'node:crypto'

const ENC = 'http://www.w3.org/2001/04/xmlenc#'
export const GCM_256 = 'http://www.w3.org/2009/xmlenc11#aes256-gcm'
export const GCM_128 = 'http://www.w3.org/2009/xmlenc11#aes128-gcm'
export const CBC_256 = `${ENC}aes256-cbc`
export const CBC_128 = `${ENC}aes128-cbc`
export const OAEP = `${ENC}rsa-oaep-mgf1p`
export const OAEP_11 = 'http://www.w3.org/2009/xmlenc11#rsa-oaep'

export type Encrypting = {
  /** PEM */
  certificate: string
  content?: string
  key?: string
  /** Of RSA-OAEP, for both of its hashes. */
  hash?: 'sha1' | 'sha256'
  /** Where the encrypted key stands: in the KeyInfo, or beside the data. */
  beside?: boolean
  /** Changes the encrypted bytes. */
  tamper?: (bytes: Buffer) => Buffer
}

export function encryptedAssertion(plain: string, given: Encrypting): string {
  const { certificate, content = GCM_256, key = OAEP, hash = 'sha1', beside = false, tamper = (all) => all } = given
  const secret = randomBytes(content.includes('128') ? 16 : 32)
  const publicKey = new X509Certificate(certificate).publicKey
  const padding = key.endsWith('rsa-1_5') ? constants.RSA_PKCS1_PADDING : constants.RSA_PKCS1_OAEP_PADDING
  const wrapped = publicEncrypt({ key: publicKey, padding, oaepHash: hash }, secret)
  const digests =
    hash === 'sha1'
      ? ''
      : `<ds:DigestMethod xmlns:ds="http://www.w3.org/2000/09/xmldsig#" Algorithm="${ENC}sha256"/><m:MGF xmlns:m="http://www.w3.org/2009/xmlenc11#" Algorithm="http://www.w3.org/2009/xmlenc11#mgf1sha256"/>`
  const data = (bytes: Buffer) =>
    `<xenc:CipherData><xenc:CipherValue>${bytes.toString('base64')}</xenc:CipherValue></xenc:CipherData>`
  const encryptedKey = `<xenc:EncryptedKey xmlns:xenc="${ENC}"><xenc:EncryptionMethod Algorithm="${key}">${digests}</xenc:EncryptionMethod>${data(wrapped)}</xenc:EncryptedKey>`
  const info = beside ? '' : `<ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#">${encryptedKey}</ds:KeyInfo>`
  return `<saml:EncryptedAssertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"><xenc:EncryptedData xmlns:xenc="${ENC}" Type="${ENC}Element"><xenc:EncryptionMethod Algorithm="${content}"/>${info}${data(tamper(sealed(plain, secret, content)))}</xenc:EncryptedData>${beside ? encryptedKey : ''}</saml:EncryptedAssertion>`
}

function sealed(plain: string, secret: Buffer, content: string): Buffer {
  const bits = secret.length === 16 ? '128' : '256'
  if (content.endsWith('gcm')) {
    const iv = randomBytes(12)
    const cipher = createCipheriv(bits === '128' ? 'aes-128-gcm' : 'aes-256-gcm', secret, iv)
    const body = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([iv, body, cipher.getAuthTag()])
  }
  const iv = randomBytes(16)
  const cipher = createCipheriv(`aes-${bits}-cbc`, secret, iv)
  return Buffer.concat([iv, cipher.update(plain), cipher.final()])
}
