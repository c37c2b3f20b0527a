// Bundles functions in two steps. The first compiles all sources into shared chunks, because parsing the SDK once per
// function would take minutes. The second links each function from these chunks, so it holds only its own code in few
// files.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions, type Metafile } from 'esbuild'
import { NODE_MODULES, NODE_REQUIRED, oneStart, SDK } from './plugins.ts'
import { OAUTH } from './oauth.ts'
import { SAML } from './saml.ts'
import { ZOD } from './zod.ts'
import { byArea, sourceOf, SURFACE } from '../surface.ts'

/** A function to bundle. `file`: its source, if not `functions/<area>/<operation>.ts`. */
export type Entry = { id: string; area: string; operation: string; file?: string }

/**
 * `chunks`: the result of the first step. `linked`: by entry id, the files of each function and their chunks. Paths are
 * relative to the project.
 */
export type Bundles = { chunks: Metafile; linked: Record<string, Metafile> }

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const DIST = join(ROOT, 'dist')

/** Every function of the service. */
export const ENTRIES: readonly Entry[] = [...byArea(SURFACE).values()].flat()

/** The folder that is deployed as the function's code. */
export const codeOf = ({ area, operation }: Entry, dist = DIST): string => join(dist, area, operation)

const CHUNKS = '.chunks'
/** A link holds the code that it reads: all of them at once take gigabytes of memory. */
const LINKS_AT_ONCE = 8

const SETTINGS = {
  absWorkingDir: ROOT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  // Makes esbuild turn these patterns into calls of RegExp, which V8 compiles when they are used. V8 checks pattern literals
  // when it parses the code, and Unicode classes take 0.1 to 0.4 ms each.
  supported: { 'regexp-sticky-and-unicode-flags': false },
  external: ['bowser'], // only used in browsers
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

/** Throws when a function imports another function, whose code would then run under the wrong role. */
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

/** Bundles the entries into `dist/<area>/<operation>/index.mjs`; replaces existing files. */
export async function bundle(entries: readonly Entry[] = ENTRIES, dist: string = DIST): Promise<Bundles> {
  rmSync(dist, { recursive: true, force: true })
  const chunks = await compile(entries, join(dist, CHUNKS))
  const linked: (readonly [string, Metafile])[] = []
  for (let from = 0; from < entries.length; from += LINKS_AT_ONCE) {
    const some = entries.slice(from, from + LINKS_AT_ONCE)
    linked.push(...(await Promise.all(some.map(async (one) => [one.id, await link(one, dist, entries)] as const))))
  }
  return { chunks, linked: Object.fromEntries(linked) }
}

/** Paths of the files that a function loads at its start: the static imports of its entry. */
export function loadedAtStart(outputs: Metafile['outputs']): Set<string> {
  const start = new Set(Object.keys(outputs).filter((path) => path.endsWith('/index.mjs')))
  for (const file of start) {
    for (const { path, kind } of outputs[file]?.imports ?? []) if (kind !== 'dynamic-import') start.add(path)
  }
  return start
}

if (import.meta.main) {
  const { addAssets } = await import('./assets.ts') // dynamic, because it loads every handler
  await bundle()
  await addAssets(codeOf)
}
