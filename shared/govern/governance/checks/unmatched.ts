// Warns of names in a policy that nothing registered has. What they name may be registered later, so they are no error.
import { closest } from '../conditions/hints.ts'
import { leavesOf } from '../conditions/condition.ts'
import { globMatches } from '../conditions/glob.ts'
import type { PolicyBody } from '../policy.ts'

/** The names that the tenant has registered; a list is absent where they are too many to compare. */
export type Registered = {
  nodes?: readonly string[] | undefined
  actions?: readonly string[] | undefined
  categories?: readonly string[] | undefined
  /** Agents among those that the policy names. */
  agents?: readonly string[] | undefined
}

type Wanted = { what: keyof Registered; one: string; globs: readonly string[] }

/** The names in a policy. Negated comparisons name things that they leave out, which need not exist. */
export function namedIn({ scope, when, after }: Pick<PolicyBody, 'scope' | 'when' | 'after'>): Wanted[] {
  const leaves = [...leavesOf(when)].filter(({ leaf: { op }, path }) => TESTS.includes(op) && !path.includes('not'))
  const sources = after ?? { node_ids: [], action_ids: [], categories: [] }
  const of = (field: string) =>
    leaves.filter(({ leaf }) => leaf.field === field).flatMap(({ leaf }) => [leaf.value].flat().map(String))
  return [
    { what: 'nodes', one: 'registered node', globs: [...scope.node_ids, ...sources.node_ids, ...of('node.id')] },
    {
      what: 'actions',
      one: 'registered action',
      globs: [...scope.action_ids, ...sources.action_ids, ...of('action.id')],
    },
    {
      what: 'categories',
      one: 'category of a registered node',
      globs: [...scope.categories, ...sources.categories, ...of('node.category')],
    },
    { what: 'agents', one: 'agent of a credential', globs: [...scope.agents, ...of('agent.id')] },
  ]
}

const TESTS = ['eq', 'in', 'glob']

export function unmatchedWarnings(body: PolicyBody, registered: Registered): string[] {
  return namedIn(body).flatMap(({ what, one, globs }) => {
    const names = registered[what]
    if (!names) return []
    const unmatched = [...new Set(globs)].filter((glob) => !names.some((name) => globMatches(glob, name)))
    return unmatched.map((glob) => `No ${one} matches "${glob}"${meant(glob, names)}`)
  })
}

const meant = (glob: string, names: readonly string[]): string => {
  const guess = likely(glob, names)
  return guess ? `; did you mean "${guess}"?` : '.'
}

const LITERAL_MIN = 3

/** The glob with the literal text that no name has replaced by the most similar words of names. */
function likely(glob: string, names: readonly string[]): string | undefined {
  if (!glob.includes('*')) return closest(glob, names)
  const parts = glob.split(/(\*+)/)
  const mended = parts.map((part) => {
    if (part.length < LITERAL_MIN || part.startsWith('*') || names.some((name) => name.includes(part))) return part
    return closest(part, wordsOf(names, part.length)) ?? part
  })
  const guess = mended.join('')
  return names.some((name) => globMatches(guess, name)) ? guess : undefined
}

/** Pieces of names, as long as the text they are compared with, that begin where a word begins or ends. */
const wordsOf = (names: readonly string[], length: number): string[] => [
  ...new Set(
    names.flatMap((name) =>
      [...name.matchAll(/^|(?<=[^A-Za-z0-9])|(?=[^A-Za-z0-9])/g)].flatMap(({ index }) =>
        [length, length - 1, length + 1].map((long) => name.slice(index, index + long)),
      ),
    ),
  ),
]
