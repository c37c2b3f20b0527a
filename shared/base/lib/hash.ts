import { createHmac, createSecretKey, hash, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto'

export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer')
export const sha256Hex = (data: string | Uint8Array): string => hash('sha256', data, 'hex')
export const hmacSha256 = (key: string | Uint8Array, data: string | Uint8Array): Buffer =>
  createHmac('sha256', typeof key === 'string' ? key : keyObject(key))
    .update(data)
    .digest()

/** Imported keys, because Node imports a key given as bytes on each use, which costs five times the HMAC itself. */
const imported = new WeakMap<Uint8Array, KeyObject>()

function keyObject(key: Uint8Array): KeyObject {
  const known = imported.get(key)
  if (known) return known
  const object = createSecretKey(key)
  imported.set(key, object)
  return object
}

/** 32 bytes derived from the deployment's root secret for one purpose (RFC 5869). */
export const derive = (root: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', root, new Uint8Array(), purpose, 32))

/** Constant-time comparison; false when the lengths differ. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
