// The data directory: one SQLite file for what the stand-ins keep, JSON files for secrets, readable by the owner only.
// The file is held under an exclusive lock, which the system drops with the process: two services never share a directory.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

export class DirectoryInUse extends Error {}

export type Disk = {
  directory: string
  db: DatabaseSync
  /** The JSON file `name`, made by `make` when it is not there yet. Mode 0600. */
  secretFile<T>(name: string, make: () => T): T
  writeSecretFile(name: string, value: object): void
  close(): void
}

/** Throws `DirectoryInUse` when another process works on this directory. */
export function openDisk(directory: string): Disk {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const db = new DatabaseSync(join(directory, 'stand-ins.sqlite'))
  try {
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN EXCLUSIVE; COMMIT')
  } catch {
    db.close()
    throw new DirectoryInUse(`another process uses ${directory}`)
  }
  const writeSecretFile = (name: string, value: object) => {
    const temporary = join(directory, `${name}.new`)
    writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
    chmodSync(temporary, 0o600)
    renameSync(temporary, join(directory, name))
  }
  return {
    directory,
    db,
    writeSecretFile,
    secretFile: (name, make) => {
      const known = readIfPresent(join(directory, name))
      if (known !== undefined) return JSON.parse(known)
      const made = make()
      writeSecretFile(name, made as object) // only objects are stored
      return made
    },
    close: () => db.close(),
  }
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
