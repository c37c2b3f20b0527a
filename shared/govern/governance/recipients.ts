// The recipients that a payload names.
import { asDomains, hostOf, isInside } from './domains.ts'
import { addressesOf } from './fields.ts'

/** Stands for a phone number, which has no host and is in no domain. */
const PHONE = 'tel'

export class Recipients {
  readonly #own: readonly string[]
  #domains: string[] | undefined
  readonly #all = new Set<string>()
  readonly #outside = new Set<string>()
  #phones = false
  #unreadable = false
  #away = 0
  count = 0

  /** `own`: the domains of the tenant. */
  constructor(own: readonly string[]) {
    this.#own = own
  }

  /** The value of a field for numbers, which may hold something else. */
  addNumber(value: string): void {
    const addresses = addressesOf(value)
    if (addresses.length === 0) this.#addPhone()
    else for (const address of addresses) this.add(address)
  }

  #addPhone(): void {
    this.count += 1
    this.#away += 1
    this.#phones = true
  }

  /** A mail address, a link or an international number. */
  add(address: string): void {
    const host = hostOf(address)
    if (!host && /^\+[^@]*$/.test(address)) {
      this.#addPhone()
      return
    }
    this.count += 1
    if (!host) {
      this.#away += 1
      this.#unreadable = true
      return
    }
    this.#all.add(host)
    this.#domains ??= asDomains(this.#own)
    if (isInside(host, this.#domains)) return
    this.#outside.add(host)
    this.#away += 1
  }

  /** How many are outside the own domains. */
  get outside(): number {
    return this.#away
  }

  /** Whether one is outside the own domains; whatever has no host is. */
  get external(): boolean {
    return this.#outside.size > 0 || this.#phones || this.#unreadable
  }

  /** Undefined when one cannot be told. */
  get hosts(): string[] | undefined {
    return this.#unreadable ? undefined : [...this.#all]
  }

  /** The facts of policies; without members that cannot be told for certain. */
  get domains(): { recipient_domains?: string[]; external_domains?: string[] } {
    if (this.#unreadable) return {}
    const phones = this.#phones ? [PHONE] : []
    return { recipient_domains: [...this.#all, ...phones], external_domains: [...this.#outside, ...phones] }
  }
}
