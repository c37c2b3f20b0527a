// Copies what commands of the SDK hold. Many times faster than `structuredClone`, which only uncommon objects go through.
import { Readable } from 'node:stream'

export function copyOf<T>(value: T): T
export function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((member) => copyOf(member))
  if (value instanceof Readable) return value // can only be read
  if (value instanceof Uint8Array) return new Uint8Array(value)
  const prototype: unknown = Object.getPrototypeOf(value)
  if ((prototype !== Object.prototype && prototype !== null) || Object.hasOwn(value, '__proto__'))
    return structuredClone(value)
  const copy: Record<string, unknown> = {}
  for (const [name, member] of Object.entries(value)) copy[name] = copyOf(member)
  return copy
}
