// `npm run new -- notes/create --permission protocol:write`: writes an operation that works, with its tests, examples and words,
// for you to make it what it shall be. Says what it wrote and what is left to do. So it does for a worker and for a policy fact.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { factFiles } from './new/fact.ts'
import { type Operation, readOperation, Refused } from './new/operation.ts'
import { withArea, withBody, withRow, withTag, withVariable } from './new/register.ts'
import { entityFile, handlerFile, namesOf, verbFile } from './new/templates.ts'
import { apiTest, unitTest } from './new/tests.ts'
import { workerFiles } from './new/worker.ts'

const ROOT = join(import.meta.dirname, '..')

const USAGE = `npm run new -- <area>/<operation> [--method POST] [--path /api/v1/notes] [--permission protocol:write]
  [--layer operate] [--members title,text] [--tag 'Notes: What people wrote down.']
npm run new -- worker <room>/<worker> [--layer operate] [--queue reports]
npm run new -- fact <part>.<name> [--type string|number|boolean|list] [--means 'the team of the agent']`

const textOf = (path: string) => (existsSync(join(ROOT, path)) ? readFileSync(join(ROOT, path), 'utf8') : undefined)

/** Every file that the operation needs, by path; undefined where there is nothing to write. */
function filesOf(operation: Operation): Record<string, string | undefined> {
  const { area, operation: name, layer } = operation
  const { room, file } = namesOf(operation)
  const edit = (path: string, change: (text: string, operation: Operation) => string) => ({
    [path]: change(textOf(path) ?? '', operation),
  })
  const folder = `functions/${area}`
  const isNew = textOf(`${folder}/routes.ts`) === undefined
  return {
    [`${folder}/routes.ts`]: withRow(textOf(`${folder}/routes.ts`), operation),
    [`${folder}/${name}.ts`]: handlerFile(operation),
    [`${folder}/examples.ts`]: withVariable(withBody(textOf(`${folder}/examples.ts`), operation), operation),
    [`${room}/${file}.ts`]: textOf(`${room}/${file}.ts`) ?? entityFile(operation),
    [`${room}/${name}.ts`]: verbFile(operation),
    [`test/unit/${layer}/${area}/${name}.test.ts`]: unitTest(operation),
    [`test/api/${area}/${name}.test.ts`]: apiTest(operation),
    ...(isNew && { ...edit('functions/api.ts', withArea), ...edit('infra/openapi/tags.ts', withTag) }),
  }
}

/** Throws `Refused` rather than replace a file of `made`, which somebody wrote. */
function write(all: Record<string, string | undefined>, made: readonly string[]): string[] {
  const files = Object.entries(all).flatMap(([path, text]) =>
    text === undefined || text === textOf(path) ? [] : [[path, text] as const],
  )
  const taken = made.find((path) => textOf(path) !== undefined)
  if (taken) throw new Refused(`${taken} exists already. Choose another name, or another --layer.`)
  for (const [path, text] of files) {
    mkdirSync(dirname(join(ROOT, path)), { recursive: true })
    writeFileSync(join(ROOT, path), text)
  }
  const paths = files.map(([path]) => path)
  spawnSync(join(ROOT, 'node_modules/.bin/oxfmt'), paths, { cwd: ROOT })
  return paths
}

/** What the generator cannot know. */
function leftToDo(operation: Operation): string[] {
  const { area, operation: name, method, kind } = operation
  const { room, file } = namesOf(operation)
  return [
    `functions/${area}/routes.ts: the summary, what else the function uses`,
    `${room}/${file}.ts: the members of the entity`,
    `functions/${area}/${name}.ts and ${room}/${name}.ts: shapes and rules`,
    ...(method === 'GET'
      ? []
      : [`evidence: name its artifact in the row and in shared/base/catalog/artifact-types.ts, commitWith(...) it`]),
    ...(kind === 'list' ? ['test/api/http/lists.test.ts: fill the list'] : []),
    'the descriptions of members and variables, where "Its …" says too little',
    `npm test -- test/unit/${operation.layer}/${area} test/api/${area} test/architecture test/infra/openapi`,
  ]
}

type Options = Record<string, string | undefined>

/** What to write, which of it must be new, and what is left to do. */
function planOf([sort = '', target = '']: readonly string[], options: Options) {
  if (sort === 'worker') {
    const { files, made, left } = workerFiles(target, options, textOf)
    return { files, made: Object.keys(made), left }
  }
  if (sort === 'fact') return { ...factFiles(target, options, textOf), made: [] }
  const operation = readOperation(sort, options, textOf)
  const { room } = namesOf(operation)
  const made = [`${room}/${operation.operation}.ts`, `test/api/${operation.area}/${operation.operation}.test.ts`]
  return { files: filesOf(operation), made, left: leftToDo(operation) }
}

const OPTIONS = ['method', 'path', 'permission', 'layer', 'members', 'tag', 'queue', 'type', 'means'] as const

try {
  const text = { type: 'string' } as const
  const options = Object.fromEntries(OPTIONS.map((name) => [name, text]))
  const { values, positionals } = parseArgs({ options, allowPositionals: true })
  const isOther = positionals[0] === 'worker' || positionals[0] === 'fact'
  if (positionals.length !== (isOther ? 2 : 1)) throw new Refused(USAGE)
  const { files, made, left } = planOf(positionals, values)
  console.log(`Written:\n  ${write(files, made).join('\n  ')}\n\nLeft to do:\n  ${left.join('\n  ')}`)
} catch (error) {
  const isExpected = error instanceof Refused || (error instanceof TypeError && 'code' in error)
  if (!isExpected) throw error
  console.error(error.message)
  process.exitCode = 1
}
