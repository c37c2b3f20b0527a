// The data directory: one SQLite file for the stand-ins and JSON files for secrets, readable by the owner only. An exclusive
// lock on the file, which ends with the process, keeps two services from sharing a directory.
import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/** Changes when this version of the service cannot use what an earlier one has written. */
const FORMAT = 3

export class DirectoryInUse extends Error {}

/** The data were written by another version of the service. */
export class OtherFormat extends Error {}

export type Disk = {
  directory: string
  db: DatabaseSync
  /** A JSON file with mode 0600; undefined when missing. It is replaced atomically. */
  readSecretFile: (name: string) => unknown
  writeSecretFile: (name: string, value: object) => void
  close: () => void
}

/** Throws `DirectoryInUse` when another process uses this directory, and `OtherFormat`. */
export function openDisk(directory: string): Disk {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const file = join(directory, 'stand-ins.sqlite')
  const db = new DatabaseSync(file)
  chmodSync(file, 0o600) // before the journal is made, which takes it over
  try {
    db.exec(
      'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; BEGIN EXCLUSIVE; COMMIT',
    )
    claimFormat(db)
  } catch (error) {
    db.close()
    const busy = error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY
    throw busy ? new DirectoryInUse(`another process uses ${directory}`) : error
  }
  return {
    directory,
    db,
    readSecretFile: (name) => {
      const text = readIfPresent(join(directory, name))
      return text === undefined ? undefined : JSON.parse(text)
    },
    writeSecretFile: (name, value) => {
      const temporary = join(directory, `${name}.new`)
      writeFileSync(temporary, `${JSON.stringify(value, null, 2)}\n`, { mode: 0o600 })
      chmodSync(temporary, 0o600) // the mode above counts for new files only
      renameSync(temporary, join(directory, name))
    },
    close: () => db.close(),
  }
}

function claimFormat(db: DatabaseSync): void {
  const isNew = db.prepare('SELECT 1 FROM sqlite_schema').get() === undefined
  if (isNew) return db.exec(`PRAGMA user_version = ${FORMAT}`)
  const format = db.prepare('PRAGMA user_version').get()?.user_version
  if (format !== FORMAT) throw new OtherFormat(`the data have format ${String(format)}, not ${FORMAT}`)
}

/** The secret of this name, created at the first start and kept. */
export function keptSecret<T extends object>(disk: Disk, name: string, make: () => T): T {
  const known = disk.readSecretFile(name)
  if (known) return known as T // this function alone writes it
  const made = make()
  disk.writeSecretFile(name, made)
  return made
}

function readIfPresent(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
