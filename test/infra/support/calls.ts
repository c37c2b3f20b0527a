// What a function can really call. Its sources are bundled alone and without packages, so that what remains is what this
// one entry reaches: a function that another one shares a file with does not count.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Entry } from '../../../infra/bundle/bundle.ts'
import { ENTRY, oneByOne } from '../../../infra/bundle/one-by-one.ts'
import { sourceOf } from '../../../infra/surface.ts'
import { ROOT } from './closures.ts'

/** One SDK command that a module of ours sends, itself, through `Table` or by an address that it signs; `service` as the SDK's package is named. */
export type Command = { service: string; name: string; file: string }

export type Calls = {
  commands: Command[]
  variables: { name: string; file: string }[]
  /** What remains of each of our modules: file → text. */
  sources: Map<string, string>
}

const TABLE = ['shared/base/table/table.ts', 'shared/base/table/item-reader.ts']
/** What the methods of `Table` send. The class stays whole in every bundle, so its calls are what counts. */
const METHODS: Record<string, readonly string[]> = {
  get: ['GetItem', 'BatchGetItem'],
  getAll: ['BatchGetItem'],
  read: ['BatchGetItem'],
  query: ['Query', 'BatchGetItem'],
  keys: ['Query'],
  count: ['Query'],
  commit: ['TransactWriteItems'],
  update: ['UpdateItem'],
}

const SERVICES = [
  'bedrock',
  'cognito-identity-provider',
  'dynamodb',
  'eventbridge',
  'kms',
  's3',
  'sagemaker',
  'secrets-manager',
  'sesv2',
  'sqs',
]

/** Every function that moves executions registers how a connection is opened; only those that call through one open it. */
const OPENS = 'shared/deliver/integrations/open-connection.ts'
const CALLS_THROUGH = 'shared/govern/executions/call-connection.ts'

/** What each of the functions calls, by its id. */
export async function callsOfAll(entries: readonly Entry[]): Promise<ReadonlyMap<string, Calls>> {
  const all = await callsWithout([], entries)
  const registering = entries.filter(
    ({ id }) => all.get(id)?.sources.has(OPENS) && !all.get(id)?.sources.has(CALLS_THROUGH),
  )
  return new Map([...all, ...(await callsWithout([`*/${OPENS}`], registering))])
}

async function callsWithout(external: string[], entries: readonly Entry[]): Promise<Map<string, Calls>> {
  const bundles = oneByOne(
    {
      external,
      absWorkingDir: ROOT,
      entryPoints: [ENTRY],
      outdir: ROOT, // where nothing is written
      bundle: true,
      packages: 'external',
      format: 'esm',
      platform: 'node',
      target: 'node24',
      logLevel: 'error',
    },
    new Map(entries.map((entry) => [join(ROOT, entry.file ?? sourceOf(entry)), entry])),
  )
  const found = new Map<string, Calls>()
  for await (const [{ id }, { outputFiles }] of bundles) found.set(id, callsIn(outputFiles[0]?.text ?? ''))
  return found
}

function callsIn(text: string): Calls {
  const sources = modulesOf(text)
  const each = <T>(find: (source: string, file: string) => T[]) =>
    [...sources].flatMap(([file, source]) => find(source, file))
  return { sources, commands: each(commandsIn), variables: each(variablesIn) }
}

/** esbuild writes the name of each module above its code; a module may come in several pieces. */
function modulesOf(text: string): Map<string, string> {
  const modules = new Map<string, string>()
  for (const piece of text.split(/^(?=\s*\/\/ (?:functions|shared)\/[\w./-]+\.ts$)/m)) {
    const file = /^\s*\/\/ (\S+)/.exec(piece)?.[1]
    if (file) modules.set(file, (modules.get(file) ?? '') + piece)
  }
  return modules
}

function commandsIn(text: string, file: string): Command[] {
  if (TABLE.includes(file)) return []
  const own = [...text.matchAll(/new (\w+?)Command\d*\(/g)].map((match) => String(match[1]))
  const asked = [...text.matchAll(/\b(?:table\d*|openTable\(\))\??\.(\w+)\(/g)].flatMap(
    (match) => METHODS[String(match[1])] ?? [],
  )
  const signed = [...text.matchAll(/\bpresignedUrl\("(\w+)"/g)].map((match) => String(match[1]))
  return [...new Set([...own, ...asked, ...signed])].map((name) => {
    const [service, ...others] = SERVICES.filter((one) => hasCommand(one, name))
    if (!service || others.length > 0) throw new Error(`${file}: which service has ${name}Command?`)
    return { service, name, file }
  })
}

/** Whether the SDK's package of a service has an operation of that name. */
export const hasCommand = (service: string, name: string): boolean =>
  existsSync(join(ROOT, `node_modules/@aws-sdk/client-${service}/dist-es/commands/${name}Command.js`))

const variablesIn = (text: string, file: string) =>
  [...text.matchAll(/\benv\("(\w+)"\)|process\.env\.(\w+)/g)].map((match) => ({
    name: String(match[1] ?? match[2]),
    file,
  }))
