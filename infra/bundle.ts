// Two steps. First one pass over all sources, in which functions share chunks: parsing the SDK once per function would
// take minutes. Then each function is linked from those chunks on its own, which leaves out what only others use and
// leaves few files: every further file costs a cold start a third of a millisecond.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type BuildOptions, type Metafile } from 'esbuild'
import { byArea, sourceOf, SURFACE } from './surface.ts'

/** A function to be; `file`, when its code does not lie where the layout says. */
export type Entry = { id: string; area: string; operation: string; uses?: readonly object[]; file?: string }

/**
 * `chunks`: what the first step made of the sources. `linked`: by entry id, the files of each function and the chunks
 * they were made of. Paths are relative to the project.
 */
export type Bundles = { chunks: Metafile; linked: Record<string, Metafile> }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const DIST = join(ROOT, 'dist')

/** Every function of the service. */
export const ENTRIES: readonly Entry[] = [...byArea(SURFACE).values()].flat()

/** The folder that is deployed as the function's code. */
export const codeOf = ({ area, operation }: Entry, dist = DIST): string => join(dist, area, operation)

const SETTINGS = {
  absWorkingDir: ROOT,
  outExtension: { '.js': '.mjs' },
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  platform: 'node',
  target: 'node24',
  external: ['bowser'], // reads the user agents of browsers, behind an import that Node never reaches
  sourcemap: 'external',
  metafile: true,
  logLevel: 'error',
} as const satisfies BuildOptions

async function compile(entries: readonly Entry[], outdir: string): Promise<Metafile> {
  const { metafile } = await build({
    ...SETTINGS,
    entryPoints: Object.fromEntries(entries.map((entry) => [entry.id, entry.file ?? sourceOf(entry)])),
    outdir,
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': './infra/lambda-credentials.ts' },
  })
  return metafile
}

async function link(entry: Entry, chunks: string, dist: string): Promise<Metafile> {
  const outdir = codeOf(entry, dist)
  const entryPoints = { index: join(chunks, `${entry.id}.mjs`) }
  const { metafile } = await build({ ...SETTINGS, entryPoints, outdir, sourcemap: false })
  return metafile
}

/** Bundles the entries into `dist/<area>/<operation>/index.mjs`, replacing what was there. */
export async function bundle(entries: readonly Entry[] = ENTRIES, dist: string = DIST): Promise<Bundles> {
  rmSync(dist, { recursive: true, force: true })
  const folder = join(dist, '.chunks')
  const chunks = await compile(entries, folder)
  const linked = await Promise.all(entries.map(async (entry) => [entry.id, await link(entry, folder, dist)] as const))
  return { chunks, linked: Object.fromEntries(linked) }
}

if (import.meta.main) await bundle()
