// Searches the members of a document for personal data and secrets, stops after 256 Ki characters, and sums up the findings.
import { hmacSha256, type Json } from '../../../base/lib/json.ts'
import { NAME_MAX } from '../payload/fields.ts'
import { type Member, walk } from '../payload/members.ts'
import { memory } from '../../../base/lib/memory.ts'
import { type Finding, findPii } from './find.ts'
import { derivedKey } from '../../../base/aws/deployment-secret.ts'
import type { Space } from '../../../base/context.ts'
import type { PiiFound } from './event.ts'

const SEARCHED_MAX = 262_144

/** Names of members that hold nothing. Names repeat from request to request. */
const clean = memory<true>(5_000)

export class PiiSearch {
  readonly findings: Finding[] = []
  #searched = 0
  #truncated = false

  /** Whether something was left out. */
  get truncated(): boolean {
    return this.#truncated
  }

  see(member: Member): void {
    if (member.isNamed) this.#search(member, member.name, true)
    if (typeof member.value === 'string') this.#search(member, member.value, false)
  }

  #search(member: Member, text: string, inKey: boolean): void {
    const capacity = SEARCHED_MAX - this.#searched
    if (text.length > capacity) this.#truncated = true
    this.#searched += Math.min(capacity, text.length)
    if (inKey && clean.has(text)) return
    const searched = text.slice(0, capacity)
    const matches = inKey ? findPii(searched) : findPii(searched, member.label, member.characters)
    if (inKey && matches.length === 0 && text.length <= Math.min(capacity, NAME_MAX)) clean.set(text, true)
    for (const match of matches) this.findings.push({ ...match, member, ...(inKey && { in_key: true }) })
  }
}

/** The search of a whole document. */
export function searchPii(document: Json | undefined): PiiSearch {
  const search = new PiiSearch()
  for (const member of walk(document)) search.see(member)
  return search
}

const LINKS_MAX = 20
const LINK_BYTES = 8

type Searched = { findings: readonly Finding[]; truncated: boolean }

/**
 * Sums up the findings of a search. Values become pseudonyms, so a value that comes back can be recognised, and nobody without the
 * deployment's secret can guess it.
 */
export async function summed(
  space: Space,
  { findings, truncated }: Searched,
  about: Pick<PiiFound, 'direction' | 'action' | 'external'>,
): Promise<PiiFound> {
  const types: PiiFound['types'] = {}
  for (const { type } of findings) types[type] = (types[type] ?? 0) + 1
  return { ...about, types, truncated, links: await linksOf(space, findings) }
}

async function linksOf({ tenant_id }: Space, findings: readonly Finding[]): Promise<string[]> {
  const key = await derivedKey(`pii-link/v1/${tenant_id}`)
  return firstValues(findings).map((value) => hmacSha256(key, value).toString('hex', 0, LINK_BYTES))
}

function firstValues(findings: readonly Finding[]): string[] {
  const values = new Set<string>()
  for (const { member, in_key, start, end } of findings) {
    if (values.size === LINKS_MAX) break
    const text = in_key ? member.name : member.value
    if (typeof text === 'string') values.add(text.slice(start, end))
  }
  return [...values]
}
