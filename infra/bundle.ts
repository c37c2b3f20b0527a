// One esbuild pass for all functions but those that store objects. Code that several need lies in shared chunks on disk,
// and each function's folder holds hard links to exactly the files that its entry reaches: a bundle per function would
// take minutes. A pass keeps for all what one of its functions needs of a library: with the SDK's S3 client in the same
// pass every function would carry 37 KB of XML.
import { linkSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Metafile } from 'esbuild'
import { byArea, sourceOf, SURFACE } from './surface.ts'

/** A function to be; `file`, when its code does not lie where the layout says. */
export type Entry = { id: string; area: string; operation: string; uses?: readonly object[]; file?: string }

/** `closures`: the files each entry reaches, by entry id, the entry itself first. */
export type Bundles = { metafile: Metafile; closures: Record<string, string[]> }

const ROOT = fileURLToPath(new URL('..', import.meta.url))
export const DIST = join(ROOT, 'dist')

/** Every function of the service. */
export const ENTRIES: readonly Entry[] = [...byArea(SURFACE).values()].flat()

/** The folder that is deployed as the function's code. */
export const codeOf = ({ area, operation }: Entry, dist = DIST): string => join(dist, area, operation)

/** Source maps stay in `dist/.build`, beside the chunks: stacks can be read without shipping the maps. */
function compile(entries: readonly Entry[], outdir: string) {
  const sources = entries.map((entry) => [entry.id, entry.file ?? sourceOf(entry)])
  return build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(sources),
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    minify: true,
    format: 'esm',
    platform: 'node',
    target: 'node24',
    mainFields: ['module', 'main'],
    alias: { '@aws-sdk/credential-provider-node': './infra/lambda-credentials.ts' },
    external: ['bowser'], // reads the user agents of browsers, behind an import that Node never reaches
    sourcemap: 'external',
    metafile: true,
    logLevel: 'error',
  })
}

/** Outputs of two passes that have one name are equal: the name carries the hash of the content. */
const merged = (all: readonly Metafile[]): Metafile => ({
  inputs: Object.assign({}, ...all.map(({ inputs }) => inputs)),
  outputs: Object.assign({}, ...all.map(({ outputs }) => outputs)),
})

/** Everything an output file imports, directly or not, statically or not. Throws when that is the entry of a function. */
function closureOf(output: string, { outputs }: Metafile, entries: ReadonlySet<string>): string[] {
  const reached = new Set([output])
  for (const file of reached) {
    for (const { path, external } of outputs[file]?.imports ?? []) {
      if (external) continue
      if (entries.has(path)) throw new Error(`${file} imports the function ${path}`)
      reached.add(path)
    }
  }
  return [...reached]
}

function link(files: readonly string[], folder: string) {
  mkdirSync(folder, { recursive: true })
  for (const [position, file] of files.entries()) {
    linkSync(join(ROOT, file), join(folder, position === 0 ? 'index.mjs' : basename(file)))
  }
}

/** Bundles the entries into `dist/<area>/<operation>/index.mjs`, replacing what was there. */
export async function bundle(entries: readonly Entry[] = ENTRIES, dist: string = DIST): Promise<Bundles> {
  rmSync(dist, { recursive: true, force: true })
  const outdir = join(dist, '.build')
  const passes = Map.groupBy(entries, ({ uses = [] }) => uses.some((use) => 'bucket' in use))
  const results = await Promise.all([...passes.values()].map((pass) => compile(pass, outdir)))
  const metafile = merged(results.map((result) => result.metafile))
  const outputs = Object.keys(metafile.outputs)
  const outputOf = ({ id }: Entry) => outputs.find((file) => basename(file) === `${id}.mjs`) ?? ''
  const entryOutputs = new Set(entries.map(outputOf))
  const closures: Bundles['closures'] = {}
  for (const entry of entries) {
    const files = closureOf(outputOf(entry), metafile, entryOutputs)
    closures[entry.id] = files
    link(files, codeOf(entry, dist))
  }
  writeFileSync(join(dist, '.build', 'metafile.json'), JSON.stringify(metafile))
  return { metafile, closures }
}

if (import.meta.main) await bundle()
