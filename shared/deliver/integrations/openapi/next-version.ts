// The version that a changed node gets: what callers must know of the change is in its first two numbers.
import { isStricter, maxTier } from '../../../base/catalog/kinds.ts'
import { canonicalJson } from '../../../base/lib/json.ts'
import { isNarrower } from './narrower.ts'
import type { Endpoint } from '../../../govern/manifests/manifest.ts'

export type Actions = readonly Pick<Endpoint, 'action_id' | 'min_tier' | 'approval_required' | 'input_schema'>[]

const tierOf = ({ min_tier, approval_required }: Actions[number]) =>
  maxTier(min_tier, approval_required ? 'HARD' : undefined)

/** `before`: undefined for a new node. The answer is undefined when nothing has changed. */
export function nextVersion(before: { version: string; endpoints: Actions } | undefined, now: Actions) {
  if (!before) return '1.0.0'
  if (canonicalJson(before.endpoints) === canonicalJson(now)) return undefined
  const [major = 0, minor = 0, patch = 0] = before.version.split('.').map(Number)
  const was = new Map(before.endpoints.map((one) => [one.action_id, one]))
  const is = new Map(now.map((one) => [one.action_id, one]))
  const breaks = before.endpoints.some((old) => {
    const one = is.get(old.action_id)
    return !one || isStricter(tierOf(one), tierOf(old)) || isNarrower(old.input_schema ?? {}, one.input_schema ?? {})
  })
  if (breaks) return `${major + 1}.0.0`
  return now.some((one) => !was.has(one.action_id)) ? `${major}.${minor + 1}.0` : `${major}.${minor}.${patch + 1}`
}
