// The HTTP-Redirect binding of SAML 2.0 (Bindings, section 3.4): deflated and signed messages in a query string. Used messages of all
// bindings are remembered here, because each is accepted once.
import { createPublicKey, sign, verify } from 'node:crypto'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { RSA_SHA256, SIGNATURE_METHODS } from './messages.ts'
import * as z from 'zod'
import { hashOf } from '../../access/one-time.ts'
import { entity, spaceKey, type Write } from '../../../base/table/entity.ts'
import { invalidMessage } from '../refusal.ts'

/** The largest message, before base64 and after inflating. */
export const MESSAGE_BYTES_MAX = 350_000

export type Kind = 'SAMLRequest' | 'SAMLResponse'

type Outgoing = { kind: Kind; message: string; relay_state?: string | undefined; private_key: string }

/** The URL for the browser, with the signed message. */
export function signedUrl(target: string, { kind, message, relay_state, private_key }: Outgoing): string {
  const pairs: [string, string][] = [
    [kind, deflateRawSync(message).toString('base64')],
    ...(relay_state === undefined ? [] : [['RelayState', relay_state] satisfies [string, string]]),
    ['SigAlg', RSA_SHA256],
  ]
  const query = pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')
  const signature = sign('sha256', Buffer.from(query), private_key).toString('base64')
  return `${target}${target.includes('?') ? '&' : '?'}${query}&Signature=${encodeURIComponent(signature)}`
}

/** Undefined for a value that is not deflated or becomes too long. */
export function inflated(value: string): string | undefined {
  try {
    return inflateRawSync(Buffer.from(value, 'base64'), { maxOutputLength: MESSAGE_BYTES_MAX }).toString('utf8')
  } catch {
    return undefined
  }
}

export type SignedQuery = {
  kind: Kind
  value: string
  RelayState?: string | undefined
  SigAlg?: string | undefined
  Signature?: string | undefined
}

const lowered = (text: string) => text.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase())
const strict = (text: string) =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`)
const asForm = (text: string) => new URLSearchParams([['', text]]).toString().slice(1)

/**
 * The signature covers the query exactly as the sender encoded it, and API Gateway passes only decoded values. So all common
 * encodings are tried: upper and lower case hex digits, and the encoding of forms.
 */
const ENCODINGS: readonly ((text: string) => string)[] = [
  encodeURIComponent,
  (text) => lowered(encodeURIComponent(text)),
  strict,
  (text) => lowered(strict(text)),
  asForm,
  (text) => lowered(asForm(text)),
]

/** Whether the key of one of the certificates (PEM) signed the query. False without a signature. */
export function isSigned(query: SignedQuery, certificates: readonly string[]): boolean {
  const { kind, value, RelayState, SigAlg = '', Signature = '' } = query
  const digest = SIGNATURE_METHODS.get(SigAlg)
  if (!digest || Signature === '') return false
  const pairs = [[kind, value], ...(RelayState === undefined ? [] : [['RelayState', RelayState]]), ['SigAlg', SigAlg]]
  const signature = Buffer.from(Signature, 'base64')
  const keyType = SigAlg.includes('#ecdsa') ? 'ec' : 'rsa'
  const keys = certificates.map((pem) => createPublicKey(pem)).filter((key) => key.asymmetricKeyType === keyType)
  const written = ENCODINGS.map((encode) => pairs.map(([name, text = '']) => `${name}=${encode(text)}`).join('&'))
  return keys.some((key) =>
    [...new Set(written)].some((text) =>
      verify(digest, Buffer.from(text), { key, dsaEncoding: 'ieee-p1363' }, signature),
    ),
  )
}

/** How long a used message is remembered after its end; longer than the accepted clock skew. */
const REMEMBERED_MS = 120_000

const UsedAssertion = z.object({ tenant_id: z.string(), id_hash: z.string(), expires_at: z.int() })

const usedAssertions = entity({
  name: 'ASSERT',
  unbound: 'bounded',
  schema: UsedAssertion,
  key: (of: { tenant_id: string; id_hash: string }) => ({
    pk: spaceKey({ tenant_id: of.tenant_id, mode: 'live' }, 'ASSERT', of.id_hash),
    sk: 'A',
  }),
  ttl: ({ expires_at }) => Math.ceil(expires_at / 1_000),
})

export type Message = { issuer: string; id: string; until: number }

/** A write that fails when the message was used before. `until`: the end of the message, ms. */
export const usedOnce = (tenant_id: string, { issuer, id, until }: Message): Write =>
  usedAssertions.insert(
    { tenant_id, id_hash: hashOf(JSON.stringify([issuer, id])), expires_at: until + REMEMBERED_MS },
    invalidMessage('replay', 'This message was used before.'),
  )
