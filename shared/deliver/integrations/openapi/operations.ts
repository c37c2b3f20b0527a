// The operations of a document, in its order, with what their path items say of all of them.
import { isObject, type JsonMap, layersOf, listAt, mapAt, member, Skipped, type SkipReason, textAt } from './resolve.ts'
import { UnusableDocument } from './unusable.ts'

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
  /** Of the operation, else of its path item; undefined where neither has any. */
  servers: readonly unknown[] | undefined
  /** Each `x-governance-tier` on the way to the operation. */
  tiers: readonly unknown[]
}

/** `detail`: the part of the document that is the cause. */
export type SkippedOperation = { operation: string; reason: SkipReason; detail?: string }

export const skippedBy = (operation: string, { reason, detail }: Skipped): SkippedOperation => ({
  operation,
  reason,
  ...(detail !== undefined && { detail }),
})

/** What names an operation for people: `GET /path`. */
export const nameOf = ({ method, path }: Pick<Operation, 'method' | 'path'>): string => `${method} ${path}`

export function operationsOf(document: JsonMap): { operations: Operation[]; skipped: SkippedOperation[] } {
  const operations: Operation[] = []
  const skipped: SkippedOperation[] = []
  for (const [path, value] of Object.entries(mapAt(document, 'paths'))) {
    if (path.startsWith('x-')) continue
    try {
      const item = joined(layersOf(document, value))
      for (const method of METHODS) {
        const found = operationAt(document, { path, method, item })
        if (found && 'reason' in found) skipped.push(found)
        else if (found) operations.push(found)
      }
      skipped.push(...unsupportedIn(path, item.of))
    } catch (error) {
      if (!(error instanceof Skipped)) throw error
      skipped.push(skippedBy(path, error))
    }
  }
  if (operations.length > OPERATIONS_MAX)
    throw new UnusableDocument(`must not have more than ${OPERATIONS_MAX} operations`)
  return { operations, skipped }
}

type Joined = { of: JsonMap; parameters: unknown[]; tiers: unknown[] }

/** What stands beside a reference wins over what it leads to; parameters and tiers of all of them count. */
function joined(layers: readonly JsonMap[]): Joined {
  const all = layers.toReversed()
  return {
    of: Object.fromEntries(all.flatMap((one) => Object.entries(one))),
    parameters: all.flatMap((one) => listAt(one, 'parameters')),
    tiers: all.map((one) => member(one, TIER)).filter((tier) => tier !== undefined),
  }
}

/** An extension of ours: the lowest tier that an operation, or all of a path item, may have. */
const TIER = 'x-governance-tier'

type At = { path: string; method: (typeof METHODS)[number]; item: Joined }

function operationAt(document: JsonMap, { path, method: name, item }: At): Operation | SkippedOperation | undefined {
  const method = name.toUpperCase() as Method
  const given = member(item.of, name)
  if (given === undefined) return undefined
  if (!isObject(given)) return { operation: nameOf({ method, path }), reason: 'malformed' }
  try {
    const { of, parameters, tiers } = joined(layersOf(document, given))
    const servers = [of, item.of].map((one) => listAt(one, 'servers')).find((list) => list.length > 0)
    const all = { parameters: [...item.parameters, ...parameters], tiers: [...item.tiers, ...tiers] }
    return { method, path, of, servers, ...all }
  } catch (error) {
    if (!(error instanceof Skipped)) throw error
    return skippedBy(nameOf({ method, path }), error)
  }
}

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
