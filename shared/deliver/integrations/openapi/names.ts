// Names of nodes and actions, made from a document. The same document always gives the same names.
import { sha256Hex } from '../../../base/lib/json.ts'
import { listAt, textAt } from './resolve.ts'
import { nameOf, type Operation } from './operations.ts'

const NODE_PART_MAX = 63
const ACTION_MAX = 64
const HASH_LENGTH = 6
/** Path segments that say nothing about what they group: variables, versions, and these words. */
const EMPTY_SEGMENT = /^(?:.*\{.*|v?\d+(?:[._]\d+)*(?:(?:alpha|beta)\d*)?|api|apis|rest)$/i

/** The words of a name, in lower case: `PullRequest-list2` → `pull request list2`. */
export const wordsOf = (text: string): string[] =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)

const snake = (text: string): string => wordsOf(text).join('_')

export function groupOf({ of, path }: Operation): string {
  const [tag] = listAt(of, 'tags')
  const segment = path.split('/').find((part) => part !== '' && !EMPTY_SEGMENT.test(part))
  const name = (typeof tag === 'string' && snake(tag)) || snake(segment ?? '') || 'api'
  return name.slice(0, NODE_PART_MAX)
}

export const nodeIdOf = (connectorId: string, group: string): string =>
  `integration.${connectorId.replaceAll('-', '_')}.${group}`

/** `taken`: the ids that were given so far; this one is added to them. */
export function actionIdOf(operation: Operation, taken: Set<string>): string {
  const given = snake(textAt(operation.of, 'operationId') ?? '')
  const name = given || snake(`${operation.method} ${operation.path}`)
  const plain = /^\d/.test(name) ? `op_${name}` : name
  const hash = sha256Hex(nameOf(operation)).slice(0, HASH_LENGTH)
  const isFree = plain.length <= ACTION_MAX && !taken.has(plain)
  const id = isFree ? plain : `${plain.slice(0, ACTION_MAX - HASH_LENGTH - 1)}_${hash}`
  taken.add(id)
  return id
}
