// Finds the hosts of links in the texts of a payload, as whoever opens them would read them. A link whose host cannot be told makes
// the whole list unknown.
import { CHARACTERS, charactersOf } from './characters.ts'
import { hostOf } from './domains.ts'
import { NAME_MAX, ofNames } from './fields.ts'
import type { Member } from './payload.ts'
import { tokensOf } from './tokens.ts'
import { wordSet } from './words.ts'

const SEARCHED_MAX = 262_144
const LINKS_MAX = 1_000

/** A scheme that browsers know, with or without slashes; any other with two; or two slashes where an address begins. */
const BEGINNINGS =
  /\b(?:https?|wss?|ftp)(?::|%3a)(?:[\\/]|%2f|%5c)*|(?::|%3a)(?:\\?\/|%2f){2,}|(?<=^|[\s"'(=])\/\/(?=[\w-]+\.)/gi

/** What every beginning holds; most texts do not. */
const MARK = /\/\/|:[/\\]|%3a|%2f|(?:https?|wss?|ftp):/i

/** A host has at most 253 characters; what stands before its `@` may be longer, and is not read. */
const AUTHORITY_MAX = 512
const AUTHORITY = /^[^\s/?#"<>\\]*/
const HOST = /^(?:\[[\da-f:.]+\]|[\p{L}\p{N}\p{M}._~%-]*)(?::\d*)?/iu
/** What may follow a host. Other characters may belong to one, or stand for it. */
const END = /^(?:$|[\s/?#"'<>(),;&|^`!}\]’”»…、]|\\(?:$|[/"'\\nrtu]))/u

const PLACES = wordSet(
  `url urls uri uris href link links endpoint endpoints webhook webhooks callback redirect host hosts hostname domain domains
  website site origin server`,
)
const isPlace = ofNames((name) => name.length <= NAME_MAX && tokensOf(name).some((word) => PLACES.has(word)))

/** An address without a scheme, such as `example.com/path` or `10.0.0.1:8080`. */
const BARE = /^\s*((?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]+)(?::\d+)?(?:[/?#]|\s*$)/u

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

  /** Undefined where one of them cannot be told, or there is too much to search. */
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
