// Sums up what a search has found. Values become pseudonyms, so a value that comes back can be recognised, and nobody without
// the deployment's secret can tell or guess it.
import { derivedKey } from '../../../base/aws/deployment-secret.ts'
import type { Space } from '../../../base/context.ts'
import { hmacSha256 } from '../../../base/lib/json.ts'
import type { PiiFound } from './event.ts'
import type { Finding } from './find.ts'

const LINKS_MAX = 20
const LINK_BYTES = 8

type Searched = { findings: readonly Finding[]; truncated: boolean }

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
