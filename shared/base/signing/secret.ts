// Signing secrets of webhook endpoints: `whsec_` and base64, the form of the Standard Webhooks specification.
import * as z from 'zod'
import type { RandomBytes } from '../lib/ids.ts'

const PREFIX = 'whsec_'
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

/** The key bytes that Standard Webhooks signs with. The two published schemes use the whole string instead. */
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

/** A new secret of 32 bytes. */
export const newSecret = (random: RandomBytes): string => PREFIX + Buffer.from(random(32)).toString('base64')

/** What may be shown of a secret later. */
export const secretHint = (secret: string): string => secret.slice(-4)
