// Two steps. First one pass over all sources, in which functions share chunks: parsing the SDK once per function would
// take minutes. Then each function is linked from those chunks on its own, which leaves out what only others use and
// leaves few files.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions, type Metafile } from 'esbuild'
import { NODE_MODULES, NODE_REQUIRED, oneStart, SDK } from './plugins.ts'
import { OAUTH } from './oauth.ts'
import { SAML } from './saml.ts'
import { ZOD } from './zod.ts'
import { byArea, sourceOf, SURFACE } from '../surface.ts'

/** A function to be; `file`, when its code does not lie where the layout says. */
export type Entry = { id: string; area: string; operation: string; file?: string }

/**
 * `chunks`: what the first step made of the sources. `linked`: by entry id, the files of each function and the chunks
 * they were made of. Paths are relative to the project.
 */
export type Bundles = { chunks: Metafile; linked: Record<string, Metafile> }

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const DIST = join(ROOT, 'dist')

/** Every function of the service. */
export const ENTRIES: readonly Entry[] = [...byArea(SURFACE).values()].flat()

/** The folder that is deployed as the function's code. */
export const codeOf = ({ area, operation }: Entry, dist = DIST): string => join(dist, area, operation)

const CHUNKS = '.chunks'

const SETTINGS = {
  absWorkingDir: ROOT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // V8 checks each pattern while it reads the code, used or not, and classes of Unicode take it 0.1 to 0.4 ms: as calls of
  // RegExp, into which esbuild turns what it holds for unsupported, patterns wait until they are needed.
  supported: { 'regexp-sticky-and-unicode-flags': false },
  external: ['bowser'], // reads the user agents of browsers, behind an import that Node never reaches
  metafile: true,
  logLevel: 'error',
} as const satisfies BuildOptions

async function compile(entries: readonly Entry[], outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...SETTINGS,
    entryPoints: Object.fromEntries(entries.map((entry) => [entry.id, entry.file ?? sourceOf(entry)])),
    outdir,
    mainFields: ['module', 'main'],
    plugins: [NODE_REQUIRED, SDK, ZOD, OAUTH, SAML],
  })
  return metafile
}

/** Throws when the function has got hold of another one's entry: its code would run under the wrong role. */
async function link(entry: Entry, dist: string, entries: readonly Entry[]): Promise<Metafile> {
  const chunkOf = ({ id }: Entry) => join(dist, CHUNKS, `${id}.mjs`)
  const outdir = codeOf(entry, dist)
  const { metafile } = await build({
    ...SETTINGS,
    entryPoints: { index: chunkOf(entry) },
    outdir,
    plugins: [oneStart(chunkOf(entry)), NODE_MODULES],
  })
  const inputs = new Set(Object.keys(metafile.inputs).map((input) => join(ROOT, input)))
  const other = entries.find((one) => one !== entry && inputs.has(chunkOf(one)))
  if (other) throw new Error(`${entry.id} imports the function ${other.id}`)
  return metafile
}

/** Bundles the entries into `dist/<area>/<operation>/index.mjs`, replacing what was there. */
export async function bundle(entries: readonly Entry[] = ENTRIES, dist: string = DIST): Promise<Bundles> {
  rmSync(dist, { recursive: true, force: true })
  const chunks = await compile(entries, join(dist, CHUNKS))
  const linked = await Promise.all(entries.map(async (one) => [one.id, await link(one, dist, entries)] as const))
  return { chunks, linked: Object.fromEntries(linked) }
}

/** The files of a function, by path, that are loaded before it can answer: what its entry imports statically. */
export function loadedAtStart(outputs: Metafile['outputs']): Set<string> {
  const start = new Set(Object.keys(outputs).filter((path) => path.endsWith('/index.mjs')))
  for (const file of start) {
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind !== 'dynamic-import') start.add(path)
  }
  return start
}

if (import.meta.main) {
  const { addAssets } = await import('./assets.ts') // loads every handler, which no other user of this module wants
  await bundle()
  await addAssets(codeOf)
}
