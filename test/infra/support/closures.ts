// What is really inside a function's bundle: the sources it was made of, the SDK commands they send and the variables
// they read. Read from esbuild's metafile, so nothing can hide behind an import.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Metafile } from 'esbuild'
import { bundle, type Bundles, ENTRIES, type Entry } from '../../../infra/bundle.ts'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** One SDK command that a source of ours sends; `service` as the SDK's package is named. */
export type Command = { service: string; name: string; file: string }

export type Closure = {
  entry: Entry
  /** Files of the bundle and their sizes, the entry first. */
  files: { path: string; bytes: number }[]
  /** Every module that left code in the bundle, relative to the project. */
  inputs: Set<string>
  commands: Command[]
  variables: { name: string; file: string }[]
  /** Our own modules among the inputs: file → text. */
  sources: Map<string, string>
}

export type Bundled = { metafile: Metafile; dist: string; closures: Closure[]; remove: () => void }

const OURS = /^(functions|shared|infra)\//

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
  const ours = [...inputs].filter((input) => OURS.test(input))
  const sources = new Map(ours.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]))
  const each = <T>(find: (text: string, file: string) => T[]) =>
    [...sources].flatMap(([file, text]) => find(text, file))
  return { entry, files, inputs, sources, commands: each(commandsIn), variables: each(variablesIn) }
}

const hasCommand = (service: string, name: string) =>
  existsSync(join(ROOT, `node_modules/@aws-sdk/client-${service}/dist-es/commands/${name}Command.js`))

/** The commands a file constructs; the package is the one of its SDK imports that has such a command. */
function commandsIn(text: string, file: string): Command[] {
  const services = [...text.matchAll(/@aws-sdk\/client-([\w-]+)'/g)].map((match) => match[1] ?? '')
  return [...new Set([...text.matchAll(/new (\w+)Command\(/g)].map((match) => match[1] ?? ''))].map((name) => {
    const service = services.find((one) => hasCommand(one, name))
    if (!service) throw new Error(`${file} constructs ${name}Command of an unknown package`)
    return { service, name, file }
  })
}

const variablesIn = (text: string, file: string) =>
  [...text.matchAll(/\benv\('(\w+)'\)|process\.env\.(\w+)/g)].map((match) => ({
    name: match[1] ?? match[2] ?? '',
    file,
  }))
