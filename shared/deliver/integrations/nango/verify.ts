import { hmacSha256, sameBytes } from '../../../base/lib/json.ts'

/** The HMAC-SHA256 over the raw body with any of the signing keys, in hex (header `X-Nango-Hmac-Sha256`). */
export const isSigned = (body: Uint8Array, signature: string | undefined, keys: readonly string[]): boolean =>
  signature !== undefined &&
  keys.some((key) => sameBytes(Buffer.from(hmacSha256(key, body).toString('hex')), Buffer.from(signature)))
