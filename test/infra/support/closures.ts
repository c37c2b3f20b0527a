// What is inside the bundles: the files of each function and the modules that left code in them, from esbuild's metafile.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Metafile } from 'esbuild'
import { bundle, type Bundles, ENTRIES, type Entry } from '../../../infra/bundle.ts'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export type Closure = {
  entry: Entry
  /** Files of the bundle and their sizes, the entry first. */
  files: { path: string; bytes: number }[]
  /** Every module that left code in the bundle, relative to the project. */
  inputs: Set<string>
}

export type Bundled = { metafile: Metafile; dist: string; closures: Closure[]; remove: () => void }

/** Bundles into a folder of its own, so that test files can run beside each other. */
export async function bundleAll(entries: readonly Entry[] = ENTRIES): Promise<Bundled> {
  const dist = mkdtempSync(join(tmpdir(), 'countersign-bundles-'))
  const bundles = await bundle(entries, dist)
  const closures = entries.map((entry) => closureOf(entry, bundles))
  return { metafile: bundles.metafile, dist, closures, remove: () => rmSync(dist, { recursive: true }) }
}

function closureOf(entry: Entry, { metafile, closures }: Bundles): Closure {
  const paths = closures[entry.id] ?? []
  const files = paths.map((path) => ({ path, bytes: metafile.outputs[path]?.bytes ?? 0 }))
  const inputs = new Set<string>()
  for (const path of paths) {
    for (const [input, { bytesInOutput }] of Object.entries(metafile.outputs[path]?.inputs ?? {})) {
      if (bytesInOutput > 0) inputs.add(input)
    }
  }
  return { entry, files, inputs }
}
