// Certificates of identity providers.
import { X509Certificate } from 'node:crypto'
import { iso } from '../../../base/lib/clock.ts'

const RSA_BITS_MIN = 2_048
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** The PEM of a certificate that was given as PEM or base64; undefined when it cannot be read. */
export function normalisedCertificate(text: string): string | undefined {
  const body = certificateBody(text)
  if (!BASE64.test(body)) return undefined
  try {
    const certificate = new X509Certificate(Buffer.from(body, 'base64'))
    const isReadable = certificate.publicKey.type === 'public' && !Number.isNaN(Date.parse(certificate.validTo))
    return isReadable ? certificate.toString() : undefined
  } catch {
    return undefined
  }
}

/** The base64 of a PEM without header, footer and line breaks. */
export const certificateBody = (pem: string): string => pem.replaceAll(/-----(BEGIN|END) CERTIFICATE-----|\s/g, '')

/** Why the key is not accepted for signatures; undefined when it is. */
export function weakness(pem: string): string | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails } = new X509Certificate(pem).publicKey
  if (type === 'ec') return undefined
  if (type !== 'rsa') return 'The certificate holds a key of another type. Use one with an RSA or EC key.'
  return (asymmetricKeyDetails?.modulusLength ?? 0) < RSA_BITS_MIN
    ? `The key of the certificate is too short. Use one with at least ${RSA_BITS_MIN} bits.`
    : undefined
}

/** The view of a certificate. An expired one is not refused: providers keep using it, and the trust is in the key. */
export function certificateView(pem: string) {
  const { subject, validTo, fingerprint256 } = new X509Certificate(pem)
  return { subject: subject.replaceAll('\n', ', '), valid_to: iso(Date.parse(validTo)), fingerprint: fingerprint256 }
}
