// The layers of `shared/`, lowest first. Values are imported from the own layer or from one below; types may be imported from
// anywhere.
import { dirname, join } from 'node:path/posix'
import { importsOf } from './imports.ts'
import type { Source } from './source.ts'

/** Layers in one row stand beside each other and do not know each other. */
const ORDER = [
  ['base'],
  ['ledger'],
  ['identity'],
  ['govern'],
  ['deliver', 'operate', 'assure', 'learn'],
  ['people'],
  ['edge'],
]

const layerOf = (path: string): string => /^shared\/([^/]+)\//.exec(path)?.[1] ?? ''
const rank = (path: string): number => ORDER.findIndex((row) => row.includes(layerOf(path)))

/** `from -> to` for each import of a value that runs upward or sideways. */
export function upward(source: Source): string[] {
  if (!source.path.startsWith('shared/')) return []
  return importsOf(source).flatMap(({ from, typeOnly }) => {
    const to = join(dirname(source.path), from)
    if (typeOnly || !to.startsWith('shared/')) return []
    const sideways = rank(source.path) === rank(to) && layerOf(source.path) !== layerOf(to)
    return sideways || rank(source.path) < rank(to) ? [`${short(source.path)} -> ${short(to)}`] : []
  })
}

const short = (path: string) => path.replace(/^shared\//, '')

/** Layers that no row names. */
export const unknownLayers = (paths: readonly string[]): string[] => [
  ...new Set(paths.filter((path) => path.startsWith('shared/') && rank(path) < 0)),
]

/** What still runs upward or sideways, by reason. The list may only shrink. */
export const EXCEPTIONS: readonly { reason: string; imports: readonly string[] }[] = []
