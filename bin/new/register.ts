// Where a new operation is named in files that there are already: a text and its edits, nothing of which touches the disk.
import { camel, type Operation, words } from './operation.ts'
import { namesOf } from './templates.ts'

/** Inserts a line before the first that matches and sorts behind it, else before the end. Throws where no end is found. */
function insert(text: string, line: string, { like, end }: { like: RegExp; end: RegExp }): string {
  const lines = text.split('\n')
  const from = lines.findIndex((each) => like.test(each))
  const last = lines.findIndex((each, at) => at > from && end.test(each))
  if (last < 0) throw new Error(`no place for: ${line}`)
  const behind = lines.findIndex((each, at) => at >= from && at < last && like.test(each) && each > line)
  return lines.toSpliced(behind < 0 ? last : behind, 0, line).join('\n')
}

/** `functions/api.ts` with one more area. */
export function withArea(api: string, { area }: Operation): string {
  const rows = camel(area)
  const imported = insert(api, `import { ${rows} } from './${area}/routes.ts'`, { like: /^import \{/, end: /^$/ })
  return insert(imported, `  ${rows},`, { like: /^ {2}\w+,$/, end: /^\]/ })
}

/** `infra/openapi/tags.ts` with one more tag, behind those of the main job and before those of the service itself. */
export function withTag(tags: string, { area, tag, description }: Operation): string {
  const name = camel(area) === area ? area : `'${area}'`
  return insert(tags, `  ${name}: [${quoted(tag)}, ${quoted(description)}],`, {
    like: /^ {2}protocol:/,
    end: /^ {2}health:/,
  })
}

const METHODS = { GET: 'read', POST: 'post', PUT: 'put', PATCH: 'patch', DELETE: 'del' } as const

const quoted = (text: string) => (text.includes("'") ? JSON.stringify(text) : `'${text}'`)

const DOES = { create: 'Creates', list: 'Lists', show: 'Shows', change: 'Changes', remove: 'Deletes' }

function row(operation: Operation): string {
  const { area, kind, method, path, access, variable } = operation
  const { key, thing } = namesOf(operation)
  const status = { create: 201, remove: 204 }[kind as string]
  const one = `${/^[aeiou]/.test(thing) ? 'an' : 'a'} ${thing}`
  const writes = [
    `uses: [{ table: 'write' }]`,
    `evidence: { none: 'no artifact records it yet' }`,
    ...(status ? [`success: ${status}`] : []),
  ]
  const members = [
    ...(method === 'GET'
      ? [`access: '${access}'`]
      : [`host: 'api'`, `access: '${access}'`, `rate: 'global'`, ...writes]),
    ...(variable ? [`resource: '${thing}'`] : []),
    `summary: '${DOES[kind]} ${kind === 'list' ? words(area) : one}.'`,
  ]
  return `  ${key}: ${METHODS[method]}('${path}', {\n    ${members.join(',\n    ')},\n  }),`
}

/** The rows of an area, new or not, with one more. */
export function withRow(routes: string | undefined, operation: Operation): string {
  const { rows } = namesOf(operation)
  const { area, method } = operation
  const empty = `import { area } from '../../shared/base/wire/route.ts'\n\nexport const ${rows} = area('${area}', {\n})\n`
  const imports = /^import \{(.*?)\} from '..\/..\/shared\/base\/wire\/route.ts'/ms
  const text = routes ?? empty
  const names =
    imports
      .exec(text)?.[1]
      ?.split(',')
      .map((name) => name.trim()) ?? []
  const needed = [...new Set([...names.filter(Boolean), METHODS[method]])].toSorted((a, b) =>
    a.toLowerCase() < b.toLowerCase() ? -1 : 1,
  )
  return text
    .replace(imports, `import { ${needed.join(', ')} } from '../../shared/base/wire/route.ts'`)
    .replace(/\n\}\)\n*$/, () => `\n${row(operation)}\n})\n`)
}

/** The examples of an area, new or not, with one more; unchanged for an operation without a body. */
export function withBody(examples: string | undefined, operation: Operation): string | undefined {
  const { members } = operation
  if (members.length === 0) return examples
  const { rows, key } = namesOf(operation)
  const empty = `\nexport const examples: Examples<typeof ${rows}> = {\n}\n`
  const body = members.map((name) => `${name}: 'A ${words(name.replaceAll('_', '-'))}'`).join(', ')
  return withEntry(withType(examples, 'Examples', operation), empty, `  ${key}: { body: { ${body} } },`)
}

/** The same with the variable of the path; unchanged for a path without one, or with one that is described. */
export function withVariable(examples: string | undefined, operation: Operation): string | undefined {
  const { variable, path } = operation
  const place = path.slice(0, path.indexOf(`{${variable}}`)) + `{${variable}}`
  if (!variable || examples?.includes(`'${place}':`)) return examples
  const { rows, prefix, thing } = namesOf(operation)
  const empty = `\nexport const variables: Variables<typeof ${rows}> = {\n}\n`
  const entry = `  '${place}': ['The id of the ${thing}.', '${prefix}_01JD3Q8Z5N7V2W9X4Y6T1S0RPM'],`
  return withEntry(withType(examples, 'Variables', operation), empty, entry)
}

const TYPES = /^import type \{ (.*) \} from '(.*wire\/example\.ts)'$/m

/** A file of examples, new or not, that imports a type and the rows. */
function withType(examples: string | undefined, type: string, operation: Operation): string {
  const { rows } = namesOf(operation)
  const text =
    examples ??
    `import type { ${type} } from '../../shared/base/wire/example.ts'\nimport type { ${rows} } from './routes.ts'\n`
  return text.replace(TYPES, (_, names: string, file: string) => {
    const all = [...new Set([...names.split(', '), type])].toSorted()
    return `import type { ${all.join(', ')} } from '${file}'`
  })
}

/** Adds an entry to the object that begins as `empty` does, at its end. */
function withEntry(text: string, empty: string, entry: string): string {
  const [, head = ''] = empty.split('\n')
  const whole = text.includes(head) ? text : text + empty
  const from = whole.indexOf(head)
  return whole.slice(0, from) + whole.slice(from).replace(/\n\}\n/, () => `\n${entry}\n}\n`)
}
