// What is inside the bundles: the files of each function and the modules that left code in them, from esbuild's metafiles.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Metafile } from 'esbuild'
import { bundle, ENTRIES, type Entry } from '../../../infra/bundle/bundle.ts'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

export type Closure = {
  entry: Entry
  /** Files of the bundle, by the paths that `imports` of the others name. */
  outputs: Metafile['outputs']
  /** Every module that left code in the bundle, relative to the project. */
  inputs: Set<string>
}

export type Bundled = { dist: string; closures: Closure[]; remove: () => void }

/** Bundles into a folder of its own, so that test files can run beside each other. */
export async function bundleAll(entries: readonly Entry[] = ENTRIES): Promise<Bundled> {
  const dist = mkdtempSync(join(tmpdir(), 'countersign-bundles-'))
  const { chunks, linked } = await bundle(entries, dist)
  const closures = entries.map((entry) => {
    const outputs = linked[entry.id]?.outputs ?? {}
    const parts = Object.values(outputs).flatMap(inputsOf)
    return { entry, outputs, inputs: new Set(parts.flatMap((chunk) => inputsOf(chunks.outputs[chunk]))) }
  })
  return { dist, closures, remove: () => rmSync(dist, { recursive: true }) }
}

/** The inputs that left code in an output. */
const inputsOf = (output: Metafile['outputs'][string] | undefined): string[] =>
  Object.entries(output?.inputs ?? {})
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([input]) => input)
