// `npm run verify-evidence -- <folder> [--vkey <verifier key>]... [--strict]`, and as verify.mjs part of every export pack.
// Prints its verdict as JSON. Exit status: 0 valid, 1 invalid, 2 unreadable or incomplete. Uses no network and no library.
import { createReadStream, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { OpenFile } from '../shared/exports/pack-reader.ts'
import { verifyPack } from '../shared/exports/verify-pack.ts'

const filesOf =
  (folder: string): OpenFile =>
  (path) => {
    const file = join(folder, path)
    return statSync(file, { throwIfNoEntry: false })?.isFile() ? createReadStream(file) : undefined
  }

async function main(): Promise<number> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { vkey: { type: 'string', multiple: true }, strict: { type: 'boolean' } },
  })
  const [folder, ...others] = positionals
  if (folder === undefined || others.length > 0) throw new Error('name one folder with an unpacked export')
  const verdict = await verifyPack(filesOf(folder), { pinned: values.vkey, strict: values.strict })
  console.log(JSON.stringify(verdict, null, 2))
  return verdict.valid ? 0 : 1
}

try {
  process.exitCode = await main()
} catch (error) {
  console.log(JSON.stringify({ valid: false, error: error instanceof Error ? error.message : String(error) }, null, 2))
  process.exitCode = 2
}
