// `npm run verify-evidence -- <folder> [--vkey <verifier key>]... [--strict] [--min-size <artifacts>] [--checkpoint <file>]...`,
// and as verify.mjs part of every export pack and of every archive for an audit. Prints its verdict as JSON. Exit status: 0 valid,
// 1 invalid, 2 unreadable, incomplete or without proof, 3 valid up to the newest signature. Uses no network and no library.
import { createReadStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { parseArgs } from 'node:util'
import type { PackFiles } from '../shared/assure/exports/pack/reader.ts'
import { verifyArchive } from '../shared/assure/audit-pack/verify-audit.ts'

const EXIT = { valid: 0, invalid: 1, unreadable: 2, unproven: 2, valid_up_to: 3 }

function filesOf(folder: string): PackFiles {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const paths = found.filter((path) => !statSync(join(folder, path)).isDirectory())
  return {
    paths: new Set(paths.map((path) => path.replaceAll(sep, '/').normalize('NFC'))),
    open: (path) => createReadStream(join(folder, path)),
  }
}

function sizeOf(text: string | undefined): number {
  if (text !== undefined && !/^\d{1,15}$/.test(text)) throw new Error('--min-size takes a number of artifacts')
  return Number(text ?? 0)
}

async function main(): Promise<number> {
  const several = { type: 'string', multiple: true } as const
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { vkey: several, checkpoint: several, strict: { type: 'boolean' }, 'min-size': { type: 'string' } },
  })
  const [folder, ...others] = positionals
  if (folder === undefined || others.length > 0) throw new Error('name one folder with an unpacked export')
  const { vkey: pinned, strict, 'min-size': least, checkpoint = [] } = values
  const held = checkpoint.map((file) => readFileSync(file, 'utf8'))
  const found = await verifyArchive(filesOf(folder), { pinned, strict, minSize: sizeOf(least), held })
  console.log(JSON.stringify(found, null, 2))
  return EXIT[found.verdict]
}

try {
  process.exitCode = await main()
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  console.log(JSON.stringify({ verdict: 'unreadable', valid: false, error: message }, null, 2))
  process.exitCode = EXIT.unreadable
}
