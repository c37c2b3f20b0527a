// RSA keys of the stand-ins, made once per process: making one takes as much CPU as twenty requests.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const FILES = ['cognito-pool.json', 'kms-oauth-key.json']
const kept = new Map<string, string>()

/** Gives a new data directory the keys of an earlier one. */
export function giveKeys(directory: string): void {
  for (const [name, text] of kept) writeFileSync(join(directory, name), text, { mode: 0o600 })
}

export function keepKeys(directory: string): void {
  for (const name of FILES) {
    const file = join(directory, name)
    if (!kept.has(name) && existsSync(file)) kept.set(name, readFileSync(file, 'utf8'))
  }
}
