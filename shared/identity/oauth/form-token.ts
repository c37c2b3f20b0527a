// Binds a form to the interaction cookie of its browser, so that no other page can submit it.
import { hmacSha256, sameBytes } from '../../base/lib/hash.ts'

export const formToken = (key: Uint8Array, uid: string): string => hmacSha256(key, uid).toString('base64url')

export const isFormToken = (key: Uint8Array, uid: string, given: string): boolean =>
  sameBytes(Buffer.from(formToken(key, uid)), Buffer.from(given))
