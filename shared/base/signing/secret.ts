// Signing secrets of webhook endpoints: `whsec_` and base64, as in Standard Webhooks 1.0.
import * as z from 'zod'
import type { RandomBytes } from '../lib/ids.ts'

const PREFIX = 'whsec_'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The key bytes for Standard Webhooks. The two schemes of the API specification use the whole string instead. */
export const secretBytes = (secret: string): Buffer => Buffer.from(secret.slice(PREFIX.length), 'base64')

/** `whsec_` + base64 of 24 to 64 bytes. */
export const WebhookSecret = z
  .string()
  .refine(
    (text) =>
      text.startsWith(PREFIX) &&
      BASE64.test(text.slice(PREFIX.length)) &&
      secretBytes(text).length >= 24 &&
      secretBytes(text).length <= 64,
    'must be whsec_ followed by base64 of 24 to 64 bytes',
  )
  .meta({ pattern: `^whsec_${BASE64.source.slice(1)}`, minLength: 38, maxLength: 94 })

/** A new secret of 32 bytes. */
export const newSecret = (random: RandomBytes): string => PREFIX + Buffer.from(random(32)).toString('base64')

/** The part of a secret that may be shown after its creation. */
export const secretHint = (secret: string): string => secret.slice(-4)
