// Names that servers and APIs publish, with what each does. The README beside the lists says where they come from, and how they
// were labelled.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Endpoint } from '../../../../shared/govern/manifests/manifest.ts'
import { type Action, classified } from './make.ts'

export type Published = {
  source: string
  /** r reads, s reads a secret, a acts, d deletes, o speaks to the outside, p pays. */
  does: string
  name: string
  /** The first word of its publisher's description, with its object where it says nothing alone (`performs:search`). */
  verb: string | undefined
  /** The method of the operation, or `ro` or `rw` as the server hints. */
  wire: string | undefined
  path: string | undefined
}

const given = (column: string | undefined) => (column === '-' || column === '' ? undefined : column)

export function published(file: string): Published[] {
  let source = ''
  return readFileSync(join(import.meta.dirname, 'fixtures', file), 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [does = '', name = '', verb, wire, path] = line.split(' ')
      if (does === '#') source = name
      return does === '#' ? [] : [{ source, does, name, verb: given(verb), wire: given(wire), path }]
    })
}

/** First words that are no verbs. */
const NO_VERBS = new Set(
  `a all an campaign certain compact discovery either event for full health if in incremental legacy no once paginated retrieval sales
  server the when with you`.split(/\s+/),
)

/** Forms in which authors describe what an action does, and what they add. */
const FORMS: readonly ((verb: string) => string)[] = [
  (verb) => `${verb} the thing.`,
  (verb) => `${verb} the things of an account. Results have pages.`,
  (verb) => `${verb} a thing by its id. Requires the scope of the account.`,
  (verb) => `${verb} one or more things (by name, owner, or state), with their details.`,
  (verb) => `${verb} the thing of a project. Use this tool after listing projects. Supports filters.`,
]

const capital = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

/** A description of its own with the verb, or with two (`Downloads and imports the thing.`). */
function described({ verb, wire, name }: Published): { description?: string } {
  if (!verb) return {}
  const [word = '', object] = verb.split(':')
  if (NO_VERBS.has(word)) return { description: `${capital(word)} things of an account.` }
  const form = wire === undefined ? FORMS[0] : FORMS[name.length % FORMS.length]
  const description = form?.(capital(word.replace(',', ' and '))) ?? ''
  return { description: object === undefined ? description : description.replace(/thing/, object) }
}

/** What a person vouched for, or what an operation of an API is called with. */
function wired({ wire, path = '/v1/things' }: Published): Action {
  if (wire === undefined) return {}
  if (wire === 'ro' || wire === 'rw') return { annotations: { readOnlyHint: wire === 'ro' }, kindIsVouched: true }
  const method = wire as 'GET' // or another one
  const target: Endpoint['target'] = {
    type: 'connection',
    connector_id: 'acme',
    method,
    path,
    params: [],
  }
  return { target }
}

export const WITNESSES = ['name', 'name and description', 'all three'] as const
export type Witnesses = (typeof WITNESSES)[number]

/** The tier of an action by some of its witnesses. */
export const tierOf = (action: Published, by: Witnesses = 'name and description'): string =>
  classified(action.name, {
    ...(by !== 'name' && described(action)),
    ...(by === 'all three' && wired(action)),
  }).tier

/** Those that have none of the tiers, with their source. */
export const notOfTier = (all: readonly Published[], tiers: readonly string[], by?: Witnesses): string[] =>
  all.filter((action) => !tiers.includes(tierOf(action, by))).map(({ name, source }) => `${name} (${source})`)
