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

/** `infra/openapi/property-words.ts` with words for members that have none. */
export const withWords = (table: string, { members }: Operation): string =>
  members
    .filter((name) => !new RegExp(`^ {2}${name}:`, 'm').test(table))
    .reduce((text, name) => insert(text, `  ${name}: 'Its ${name.replaceAll('_', ' ')}.',`, PLAIN), table)

const PLAIN = { like: /^ {2}\w+:/, end: /^\}/ }

/** `infra/openapi/parameters.ts` with words for a variable that has none. */
export function withParameter(table: string, operation: Operation): string {
  const { variable } = operation
  if (!variable || new RegExp(`^ {2}${variable}:`, 'm').test(table)) return table
  const line = `  ${variable}: 'The id of the ${namesOf(operation).thing}.',`
  return insert(table, line, { like: /^ {2}client_id:/, end: /^\}/ })
}

/** `infra/openapi/parameter-examples.ts` with a value for a variable or resource that has none. */
export function withExample(table: string, operation: Operation): string {
  const { variable } = operation
  if (!variable) return table
  const { prefix, thing } = namesOf(operation)
  const name = variable === 'id' ? thing : variable
  const quoted = /^\w+$/.test(name) ? name : `'${name}'`
  if (table.includes(`\n  ${quoted}: `)) return table
  const from = table.indexOf(variable === 'id' ? 'const OF_RESOURCE' : 'const OF_VARIABLE')
  const line = `  ${quoted}: '${prefix}_01JD3Q8Z5N7V2W9X4Y6T1S0RPM',`
  return table.slice(0, from) + insert(table.slice(from), line, { like: /^ {2}/, end: /^\}/ })
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
  const empty = `import type { Examples } from '../../shared/base/wire/example.ts'
import type { ${rows} } from './routes.ts'

export const examples: Examples<typeof ${rows}> = {
}
`
  const body = members.map((name) => `${name}: 'A ${words(name.replaceAll('_', '-'))}'`).join(', ')
  return (examples ?? empty).replace(/\n\}\n*$/, () => `\n  ${key}: { body: { ${body} } },\n}\n`)
}
