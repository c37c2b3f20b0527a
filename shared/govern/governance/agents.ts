// Decides whether a policy that names agents applies. Only an agent bound to the credential is proven. The agent that a
// request states can bring the request under such a policy, but never take it out of one.
import { isCredentialId } from '../../base/lib/ids.ts'
import type { Facts, Unbound } from './fact-list.ts'
import { globMatches, scopeMatches } from './glob.ts'
import type { Truth } from './truth.ts'

function mayBe(glob: string, { credential, stated }: Unbound): boolean {
  const isStated = stated !== undefined && globMatches(glob, stated)
  return isStated || (isCredentialId(glob) ? glob === credential : credential !== undefined)
}

/** Whether the caller is one of the agents of a scope; unknown where no agent is bound to its credential. */
export function isAmong(globs: readonly string[], { named, unbound }: Facts): Truth {
  const bound = named['agent.id']
  if (globs.length === 0 || bound !== undefined || !unbound) return scopeMatches(globs, bound)
  return globs.some((glob) => mayBe(glob, unbound)) ? undefined : false
}
