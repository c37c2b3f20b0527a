// Replaces personal data and secrets by placeholders. Inside one document the same value has the same placeholder, so readers
// can still see which values are equal.
import type { Json } from '../../../base/lib/json.ts'
import { findPii, type PiiType } from './find.ts'

/** A redactor for one document, which may come in several parts. */
export class Redactor {
  readonly #names = new Map<string, string>()
  readonly #counts = new Map<PiiType, number>()

  /** Whether it has replaced anything so far. */
  get hasRedacted(): boolean {
    return this.#names.size > 0
  }

  /** A copy with placeholders such as `[EMAIL_1]`, in member names too. `label`: the name of the nearest named member. */
  redact(value: Json, label = ''): Json {
    if (typeof value === 'string') return this.#mask(value, label)
    if (Array.isArray(value)) return value.map((element) => this.redact(element, label))
    if (typeof value !== 'object' || value === null) return value
    return this.redactMembers(value)
  }

  redactMembers(members: { [name: string]: Json | undefined }): { [name: string]: Json | undefined } {
    return Object.fromEntries(
      Object.entries(members).map(([name, member]) => [
        this.#mask(name, ''),
        member === undefined ? undefined : this.redact(member, name),
      ]),
    )
  }

  #mask(text: string, label: string): string {
    const found = findPii(text, label).toSorted((a, b) => a.start - b.start)
    let masked = ''
    let at = 0
    for (const { type, start, end } of found) {
      masked += text.slice(at, start) + this.#placeholderOf(type, text.slice(start, end))
      at = end
    }
    return masked + text.slice(at)
  }

  #placeholderOf(type: PiiType, value: string): string {
    const key = `${type} ${value}`
    const known = this.#names.get(key)
    if (known !== undefined) return known
    const count = (this.#counts.get(type) ?? 0) + 1
    this.#counts.set(type, count)
    const name = `[${type}_${count}]`
    this.#names.set(key, name)
    return name
  }
}
