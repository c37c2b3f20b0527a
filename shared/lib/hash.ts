import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'

export const sha256 = (data: string | Uint8Array): Buffer => hash('sha256', data, 'buffer')
export const sha256Hex = (data: string | Uint8Array): string => hash('sha256', data, 'hex')
export const hmacSha256 = (key: string | Uint8Array, data: string | Uint8Array): Buffer =>
  createHmac('sha256', key).update(data).digest()

/** 32 bytes derived from the deployment's root secret for one purpose (RFC 5869). */
export const derive = (root: Uint8Array, purpose: string): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', root, new Uint8Array(), purpose, 32))

/** Constant-time comparison; false when the lengths differ. */
export const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.length === b.length && timingSafeEqual(a, b)
