// The rooms of `shared/` that import each other's values. Where two do, neither can be read or changed by itself.
import { dirname, join } from 'node:path/posix'
import { importsOf } from './imports.ts'
import type { Source } from './source.ts'

/** A room is a folder of a layer, and each folder of the evidence room; a file that stands in a layer itself is a room of its own. */
const ROOM = /^shared\/(ledger\/evidence\/[^/]+|[^/]+\/[^/]+)/

const roomOf = (path: string): string | undefined => ROOM.exec(path)?.[1]

/** `from -> to` for each import of a value of another room. */
function acrossRooms(source: Source): string[] {
  const room = roomOf(source.path)
  if (!room) return []
  return importsOf(source).flatMap(({ from, typeOnly }) => {
    const to = roomOf(join(dirname(source.path), from))
    return typeOnly || !to || to === room ? [] : [`${room} -> ${to}`]
  })
}

/** `a <-> b`, in the order of the alphabet, for each two rooms that import values of each other. */
export function mutualPairs(sources: readonly Source[]): string[] {
  const imports = new Set(sources.flatMap(acrossRooms))
  return [...imports].flatMap((one) => {
    const [from = '', to = ''] = one.split(' -> ')
    return from < to && imports.has(`${to} -> ${from}`) ? [`${from} <-> ${to}`] : []
  })
}

/** The pairs that there are, each with what the lower room needs of the upper. The list may only shrink. */
export const PAIRS: Readonly<Record<string, string>> = {}
