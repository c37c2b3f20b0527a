// The rooms of `shared/` that import each other's values. Where two do, neither can be read or changed by itself.
import { dirname, join } from 'node:path/posix'
import { importsOf } from './imports.ts'
import type { Source } from './source.ts'

/** A room is a folder of a layer, and each folder of the evidence room; a file that stands in a layer itself is a room of its own. */
const ROOM = /^shared\/(ledger\/evidence\/[^/]+|[^/]+\/[^/]+)/

const roomOf = (path: string): string | undefined => ROOM.exec(path)?.[1]

/** `from -> to` for each import of another room; of values only, unless `types`. */
function acrossRooms(source: Source, types = false): string[] {
  const room = roomOf(source.path)
  if (!room) return []
  return importsOf(source).flatMap(({ from, typeOnly }) => {
    const to = roomOf(join(dirname(source.path), from))
    return (typeOnly && !types) || !to || to === room ? [] : [`${room} -> ${to}`]
  })
}

/** `a <-> b`, in the order of the alphabet, for each two rooms that import values of each other. */
export function mutualPairs(sources: readonly Source[]): string[] {
  const imports = new Set(sources.flatMap((source) => acrossRooms(source)))
  return [...imports].flatMap((one) => {
    const [from = '', to = ''] = one.split(' -> ')
    return from < to && imports.has(`${to} -> ${from}`) ? [`${from} <-> ${to}`] : []
  })
}

/**
 * The shortest circle of rooms that import each other's values or types, through however many rooms; undefined where there is none.
 * Each room can then be read after those that it imports.
 */
export function circle(sources: readonly Source[]): string[] | undefined {
  const below = new Map<string, Set<string>>()
  for (const one of sources.flatMap((source) => acrossRooms(source, true))) {
    const [from = '', to = ''] = one.split(' -> ')
    below.set(from, (below.get(from) ?? new Set()).add(to))
  }
  const found = [...below.keys()].toSorted().flatMap((room) => {
    const way = wayBack(below, room)
    return way ? [way] : []
  })
  return found.toSorted((a, b) => a.length - b.length)[0]
}

/** From a room over others to itself. */
function wayBack(below: ReadonlyMap<string, ReadonlySet<string>>, start: string): string[] | undefined {
  const seen = new Set<string>()
  let ways = [[start]]
  while (ways.length > 0) {
    const longer: string[][] = []
    for (const way of ways) {
      for (const next of below.get(way.at(-1) ?? '') ?? []) {
        if (next === start) return [...way, next]
        if (!seen.has(next)) longer.push([...way, next])
        seen.add(next)
      }
    }
    ways = longer
  }
  return undefined
}

/** The pairs that there are, each with what the lower room needs of the upper. The list may only shrink. */
export const PAIRS: Readonly<Record<string, string>> = {}
