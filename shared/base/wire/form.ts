// Forms as browsers post them (WHATWG URL, application/x-www-form-urlencoded). Every field is a text; a repeated field is
// refused, because it has no single value.
import { Failure, malformed } from '../lib/failure.ts'
import type { JsonObject } from './parse-body.ts'

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;\s*charset\s*=\s*"?utf-8"?\s*)?$/i

export function parseForm(bytes: Buffer, headers: Record<string, string>, bytesMax: number): JsonObject {
  if (bytes.length > bytesMax)
    throw new Failure('too_large', `The request body exceeds ${bytesMax} bytes. Send a smaller one.`)
  if (!FORM_TYPE.test(headers['content-type']?.trim() ?? '')) {
    throw malformed('The Content-Type is not supported. Send application/x-www-form-urlencoded in UTF-8.')
  }
  const fields = [...new URLSearchParams(bytes.toString('utf8'))]
  const form = Object.fromEntries(fields)
  if (Object.keys(form).length !== fields.length)
    throw malformed('You sent a form field more than once. Send each field once.')
  return form
}
