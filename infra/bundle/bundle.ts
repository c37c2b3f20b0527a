// Bundles functions in two steps. The first compiles all sources into shared chunks, because parsing the SDK once per
// function would take minutes. The second links each function from these chunks, so it holds only its own code in few
// files.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions, type Metafile } from 'esbuild'
import { DESCRIPTIONS } from './descriptions.ts'
import { NODE_MODULES, NODE_REQUIRED, oneStart, SDK } from './plugins.ts'
import { collectSeldom, ENTRY, oneByOne } from './one-by-one.ts'
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
/** Other commands write beside it; each clears its own folder alone. */
export const DIST = join(ROOT, 'dist/lambda')

/** Every function of the service. */
export const ENTRIES: readonly Entry[] = [...byArea(SURFACE).values()].flat()

/** The folder that is deployed as the function's code. */
export const codeOf = ({ area, operation }: Entry, dist = DIST): string => join(dist, area, operation)

const CHUNKS = '.chunks'
/** Names the files of a function until they are written where it is. */
const LINKS = '.links'

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
    plugins: [DESCRIPTIONS, NODE_REQUIRED, SDK, ZOD, OAUTH, SAML],
  })
  return metafile
}

/** Throws when a function imports another function, whose code would then run under the wrong role. */
async function linkAll(entries: readonly Entry[], dist: string, chunks: Metafile): Promise<Record<string, Metafile>> {
  const functions = new Map(entries.map((entry) => [join(dist, CHUNKS, `${entry.id}.mjs`), entry]))
  const imported = Object.entries(chunks.outputs).flatMap(([path, { entryPoint }]) =>
    entryPoint ? [join(ROOT, path)] : [],
  )
  const outdir = join(dist, LINKS)
  const links = oneByOne(
    {
      ...SETTINGS,
      entryPoints: { index: ENTRY },
      outdir,
      plugins: [oneStart(imported.filter((path) => !functions.has(path))), NODE_MODULES],
    },
    functions,
  )
  const linked: Record<string, Metafile> = {}
  for await (const [entry, { metafile, outputFiles }] of links) {
    const inputs = Object.keys(metafile.inputs).map((input) => functions.get(join(ROOT, input)))
    const other = inputs.find((one) => one && one !== entry)
    if (other) throw new Error(`${entry.id} imports the function ${other.id}`)
    const folder = codeOf(entry, dist)
    mkdirSync(folder, { recursive: true })
    const outputs = loaded(metafile.outputs)
    for (const { path, contents } of outputFiles) {
      if (relative(ROOT, path) in outputs) writeFileSync(join(folder, relative(outdir, path)), contents)
    }
    linked[entry.id] = moved({ ...metafile, outputs }, relative(ROOT, outdir), relative(ROOT, folder))
  }
  return linked
}

/** What the index loads, at its start or later. esbuild also makes files for dynamic imports that it then left out as unused. */
function loaded(outputs: Metafile['outputs']): Metafile['outputs'] {
  const reached = new Set(Object.keys(outputs).filter((path) => path.endsWith('/index.mjs')))
  for (const file of reached) for (const { path } of outputs[file]?.imports ?? []) reached.add(path)
  return Object.fromEntries(Object.entries(outputs).filter(([path]) => reached.has(path)))
}

/** The same outputs in another folder. */
function moved({ inputs, outputs }: Metafile, from: string, to: string): Metafile {
  const pathIn = (path: string) => (path.startsWith(`${from}/`) ? to + path.slice(from.length) : path)
  const there = Object.entries(outputs).map(([path, output]) => {
    const imports = output.imports.map((one) => ({ ...one, path: pathIn(one.path) }))
    return [pathIn(path), { ...output, imports }] as const
  })
  return { inputs, outputs: Object.fromEntries(there) }
}

/** Bundles the entries into `<dist>/<area>/<operation>/index.mjs`; clears the folder before. */
export async function bundle(entries: readonly Entry[] = ENTRIES, dist: string = DIST): Promise<Bundles> {
  collectSeldom()
  rmSync(dist, { recursive: true, force: true })
  const chunks = await compile(entries, join(dist, CHUNKS))
  return { chunks, linked: await linkAll(entries, dist, chunks) }
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
