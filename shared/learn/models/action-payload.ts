import type { Json } from '../../base/lib/json.ts'

/** A text of a payload that the service itself made. Throws for anything else. */
export function textOf(value: Json | undefined): string {
  if (typeof value !== 'string') throw new TypeError('the payload lacks a text')
  return value
}
