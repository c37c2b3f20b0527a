import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { sha256Hex } from '../../base/lib/hash.ts'
import type { Policy } from './policy.ts'
import type { GovernanceSettings } from './settings.ts'
import type { StoredCalendar } from './stored-calendar.ts'
import { countWords, type LexiconWords } from './lexicon-words.ts'

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1)
const byId = (a: Policy, b: Policy) => (a.policy_id < b.policy_id ? -1 : 1)

/** What tenants may have beside policies and settings. Left out of the version where there is none. */
export type MoreRules = {
  calendars?: readonly Pick<StoredCalendar, 'name' | 'dates'>[] | undefined
  lexicon?: LexiconWords | undefined
}

/** Identifies the rules of a decision: `sha256:<hex>` over the enabled policies, sorted by id, the settings, and the rest. */
export function policySetVersion(
  policies: readonly Policy[],
  settings: GovernanceSettings,
  { calendars = [], lexicon }: MoreRules = {},
): string {
  const enabled = policies.filter((policy) => policy.enabled).toSorted(byId)
  const dates = calendars.map(({ name, dates: all }) => ({ name, dates: all })).toSorted(byName)
  const more = {
    ...(dates.length > 0 && { calendars: dates }),
    ...(lexicon && countWords(lexicon) > 0 && { lexicon }),
  }
  return `sha256:${sha256Hex(canonicalJson({ policies: enabled, settings, ...more }))}`
}
