// `npm run new -- fact agent.team --type string --means 'the team of the agent'`: a policy fact in every table that names facts. Its
// value is unknown until the place that gathers it gives one.
import { FACTS } from '../../shared/govern/governance/conditions/fact-list.ts'
import { TYPE_WORDS } from '../../shared/govern/policies/reference.ts'
import { Refused } from './operation.ts'
import { inserted } from './worker.ts'

export type FactOptions = { type?: string | undefined; means?: string | undefined }
type TextOf = (path: string) => string | undefined
type FactType = keyof typeof TYPES

/** The type of the value, and a value for the test in which everything is known. */
const TYPES = {
  string: ['string', "'one'"],
  number: ['number', '7'],
  boolean: ['boolean', 'true'],
  list: ['readonly string[]', "['one']"],
} as const

const isType = (text: string): text is FactType => Object.hasOwn(TYPES, text)

/** `signals.*` is read from the payload by `payload/signals.ts`, which no line of a table can do. */
const PARTS = ['action', 'target', 'node', 'principal', 'agent', 'request', 'tenant']

const DECIDE = 'shared/govern/governance/decide/policy-facts.ts'
const GATHER = 'shared/govern/executions/evaluate-action.ts'
const LIST = 'shared/govern/governance/conditions/fact-list.ts'
const WORDS = 'shared/govern/policies/reference.ts'
const PAGE = 'shared/govern/policies/README.md'
const TEST = 'test/unit/govern/governance/facts.test.ts'
/** Others that call `factsOf`. */
const CALLERS = ['test/unit/govern/governance/make.ts', 'test/bench/governance.ts']

/** Every changed file, by path, and what is left to do. Throws `Refused`. */
export function factFiles(name: string, { type = 'string', means }: FactOptions, textOf: TextOf) {
  const [part = '', member = ''] = name.split('.')
  if (!/^[a-z]+\.[a-z][a-z0-9_]*$/.test(name) || !PARTS.includes(part)) {
    throw new Refused(`Name the fact as <part>.<name>, where the part is one of ${PARTS.join(', ')}: agent.team.`)
  }
  if (Object.hasOwn(FACTS, name)) throw new Refused(`The fact ${name} exists already.`)
  if (!isType(type)) throw new Refused(`${type} is no type for a generated fact: ${Object.keys(TYPES).join(', ')}.`)
  const said = means ?? `the ${member.replaceAll('_', ' ')} of the ${part}`
  const [ts, sample] = TYPES[type]
  const edit = (path: string, mark: string | RegExp, line: string) => ({
    [path]: inserted(textOf(path) ?? '', mark, line),
  })
  const isOfRequest = part === 'request'
  const field = isOfRequest ? member : `${part}_${member}`
  const given = (path: string) =>
    edit(path, isOfRequest ? /(?<=factsOf\(\{[^]*?request: \{)/ : /(?<=factsOf\(\{)/, ` ${field}: undefined,`)
  const declared = inserted(
    textOf(DECIDE) ?? '',
    isOfRequest ? /(?<=\n {2}request: \{[^}]*?)\n {2}\}/ : /(?<=type Circumstances = \{[^]*?)\n\}/,
    `\n${isOfRequest ? '  ' : ''}  ${field}: ${ts} | undefined`,
  )
  const supplied = isOfRequest
    ? inserted(declared, /(?<=function requestFacts[^]*?)\n {2}\}\n/, `\n    '${name}': request.${field},`)
    : inserted(declared, /(?<=const named: [^]*?)\n {2}\}\n/, `\n    '${name}': rest.${field},`)
  return {
    files: {
      ...edit(
        LIST,
        '\n} as const satisfies Record<string, FactRow>',
        `\n  '${name}': { type: '${type}', optional: true },`,
      ),
      [DECIDE]: supplied,
      ...edit(WORDS, /(?<=FACT_WORDS[^]*?)\n\}/, `\n  '${name}': ${JSON.stringify(said)},`),
      ...edit(PAGE, '| `payload.<JSON pointer>` |', `| \`${name}\` | ${TYPE_WORDS[type].name} | ${said} | no |\n`),
      ...given(GATHER),
      ...CALLERS.reduce((all, path) => ({ ...all, ...given(path) }), {}),
      [TEST]: inserted(
        inserted(textOf(TEST) ?? '', /(?<=const LIST = [^]*?)`\.split/, ` ${name}`),
        isOfRequest ? /(?<=\nconst circumstances = \{[^]*?request: \{)/ : /(?<=\nconst circumstances = \{)/,
        `\n  ${field}: ${sample},`,
      ),
    },
    left: [
      `${GATHER}: ${field}, which is undefined, so the fact is unknown for every action`,
      `${LIST}: without optional, if every action has it`,
      `a test of a policy that reads it, in test/api/protocol`,
      'npm test -- test/unit/govern/governance/facts.test.ts test/unit/govern/policies test/infra/docs',
    ],
  }
}
