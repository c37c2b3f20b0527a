// The operations of a document, in its order, with what their path items say of all of them.
import { isObject, type JsonMap, listAt, mapAt, member, resolved, Skipped, type SkipReason, textAt } from './resolve.ts'
import { UnusableDocument } from './read-document.ts'

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete'] as const
/** Further members of a path item that are operations. */
const UNSUPPORTED = ['options', 'trace', 'query']

const DESCRIPTION_MAX = 2_000
/** Converting more would take longer than a request may. */
const OPERATIONS_MAX = 5_000

export type Method = Uppercase<(typeof METHODS)[number]>

export type Operation = {
  method: Method
  /** As the document has it, with its variables in braces. */
  path: string
  /** The operation, and the parameters of its path item before its own. */
  of: JsonMap
  parameters: readonly unknown[]
}

export type SkippedOperation = { operation: string; reason: SkipReason }

/** What names an operation for people: `GET /path`. */
export const nameOf = ({ method, path }: Pick<Operation, 'method' | 'path'>): string => `${method} ${path}`

export function operationsOf(document: JsonMap): { operations: Operation[]; skipped: SkippedOperation[] } {
  const operations: Operation[] = []
  const skipped: SkippedOperation[] = []
  for (const [path, value] of Object.entries(mapAt(document, 'paths'))) {
    if (path.startsWith('x-')) continue
    try {
      const item = resolved(document, value)
      operations.push(...ofItem(path, item))
      skipped.push(...unsupportedIn(path, item))
    } catch (error) {
      if (!(error instanceof Skipped)) throw error
      skipped.push({ operation: path, reason: error.reason })
    }
  }
  if (operations.length > OPERATIONS_MAX)
    throw new UnusableDocument(`must not have more than ${OPERATIONS_MAX} operations`)
  return { operations, skipped }
}

const ofItem = (path: string, item: JsonMap): Operation[] =>
  METHODS.flatMap((name) => {
    const of = member(item, name)
    if (!isObject(of)) return []
    const parameters = [...listAt(item, 'parameters'), ...listAt(of, 'parameters')]
    return [{ method: name.toUpperCase() as Method, path, of, parameters }]
  })

function unsupportedIn(path: string, item: JsonMap): SkippedOperation[] {
  const further = Object.keys(mapAt(item, 'additionalOperations'))
  const names = [...UNSUPPORTED.filter((name) => isObject(member(item, name))), ...further]
  return names.map((name) => ({ operation: `${name.toUpperCase()} ${path}`, reason: 'unsupported_method' as const }))
}

/** Without the markup that some documents have. */
const bare = (text = ''): string =>
  text
    .replaceAll(/<[^<>]{1,200}>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** What an operation does, in at most 2,000 characters. */
export function descriptionOf(of: JsonMap): string | undefined {
  const whole = bare(textAt(of, 'description'))
  const sentence = /^[^]*?[.!?](?=\s|$)/.exec(whole)?.[0]
  const text = bare(textAt(of, 'summary')) || sentence || whole
  return text === '' ? undefined : text.slice(0, DESCRIPTION_MAX)
}
