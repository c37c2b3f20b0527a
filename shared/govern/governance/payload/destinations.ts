// Where a payload sends something: the recipients that it names, and the hosts of the links in its texts.
import { asDomains, hostOf, isInside } from '../domains.ts'
import { addressesOf, NAME_MAX, ofNames } from './fields.ts'
import { CHARACTERS, charactersOf, tokensOf } from '../words/tokens.ts'
import type { Member } from './members.ts'
import { wordSet } from '../words/words.ts'

/** In the place of a host for a phone number, which has none and is in no domain. */
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

  /** Whether one is outside the own domains. An address without a host is. */
  get external(): boolean {
    return this.#outside.size > 0 || this.#phones || this.#unreadable
  }

  /** Undefined when the host of one is not certain. */
  get hosts(): string[] | undefined {
    return this.#unreadable ? undefined : [...this.#all]
  }

  /** The facts of policies; without members that are not certain. */
  get domains(): { recipient_domains?: string[]; external_domains?: string[] } {
    if (this.#unreadable) return {}
    const phones = this.#phones ? [PHONE] : []
    return { recipient_domains: [...this.#all, ...phones], external_domains: [...this.#outside, ...phones] }
  }
}

const SEARCHED_MAX = 262_144
const LINKS_MAX = 1_000

/** A scheme that browsers know, with or without slashes; any other with two; or two slashes where an address begins. */
const BEGINNINGS =
  /\b(?:https?|wss?|ftp)(?::|%3a)(?:[\\/]|%2f|%5c)*|(?::|%3a)(?:\\?\/|%2f){2,}|(?<=^|[\s"'(=])\/\/(?=[\w-]+\.)/gi

/** Every beginning matches this; most texts do not. */
const MARK = /\/\/|:[/\\]|%3a|%2f|(?:https?|wss?|ftp):/i

/** A host has at most 253 characters; the part before its `@` may be longer, and is not read. */
const AUTHORITY_MAX = 512
const AUTHORITY = /^[^\s/?#"<>\\]*/
const HOST = /^(?:\[[\da-f:.]+\]|[\p{L}\p{N}\p{M}._~%-]*)(?::\d*)?/iu
/** What may follow a host. Other characters may belong to one, or take its place. */
const END = /^(?:$|[\s/?#"'<>(),;&|^`!}\]’”»…、]|\\(?:$|[/"'\\nrtu]))/u

const PLACES = wordSet(
  `url urls uri uris href link links endpoint endpoints webhook webhooks callback redirect host hosts hostname domain domains
  website site origin server`,
)
const isPlace = ofNames((name) => name.length <= NAME_MAX && tokensOf(name).some((word) => PLACES.has(word)))

/** An address without a scheme, such as `example.com/path` or `10.0.0.1:8080`. */
const BARE = /^\s*((?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]+)(?::\d+)?(?:[/?#]|\s*$)/u

/**
 * Finds the hosts of links in the texts of a payload, as a browser that opens them would read them. A link whose host is not certain
 * makes the whole list unknown.
 */
export class LinkSearch {
  readonly #hosts = new Set<string>()
  #searched = 0
  #links = 0
  #unreadable = false

  see({ value, characters, name, isNamed, label }: Member): void {
    if (isNamed) this.#search(name)
    if (typeof value !== 'string') return
    this.#search(value, characters)
    const bare = isPlace(label) ? BARE.exec(value)?.[1] : undefined
    if (bare !== undefined) this.#add(bare)
  }

  /** Undefined where one of them is not certain, or there is too much to search. */
  get hosts(): string[] | undefined {
    return this.#unreadable ? undefined : [...this.#hosts]
  }

  #search(text: string, characters = charactersOf(text)): void {
    this.#searched += text.length
    if (this.#searched > SEARCHED_MAX) this.#unreadable = true
    if (this.#unreadable || !(characters & CHARACTERS.link) || !MARK.test(text)) return
    for (const { 0: beginning, index } of text.matchAll(BEGINNINGS)) {
      const host = hostAfter(text, index + beginning.length, beginning.includes('%'))
      if (host !== '') this.#add(host)
      if (this.#unreadable) return
    }
  }

  #add(authority: string | undefined): void {
    this.#links += 1
    const host = authority === undefined ? undefined : (hostOf(authority) ?? hostOf(`https://${authority}`))
    if (host === undefined || this.#links > LINKS_MAX) this.#unreadable = true
    else this.#hosts.add(host)
  }
}

/** With its port; undefined where it is not certain. */
function hostAfter(text: string, at: number, isEncoded: boolean): string | undefined {
  const part = text.slice(at, at + AUTHORITY_MAX)
  const rest = isEncoded ? decoded(part) : part
  const [authority = ''] = AUTHORITY.exec(rest) ?? []
  const isCut = authority.length === rest.length && at + AUTHORITY_MAX < text.length
  const [host = ''] = HOST.exec(rest) ?? []
  return isCut || authority.includes('@') || !END.test(rest.slice(host.length)) ? undefined : host
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text.replace(/%.?$/, ''))
  } catch {
    return '{' // is no host
  }
}
