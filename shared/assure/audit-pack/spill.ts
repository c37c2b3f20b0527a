// Compares sets of ids that are larger than memory should be: the ids lie in files, spread by their hash, and one pair of files is
// compared at a time.
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sha256 } from '../../base/lib/hash.ts'
import type { Window } from '../exports/window.ts'
import { type Dated, type Differences, reconcile } from './reconcile.ts'

const PARTS = 64
/** Characters of one part that wait in memory. */
const WAITING = 16_384

type Side = 'rows' | 'artifacts'

export class Spill {
  readonly #folder: string
  readonly #waiting = new Map<string, string>()

  /** `folder`: an empty one for this population alone. */
  constructor(folder: string) {
    this.#folder = folder
  }

  async add(side: Side, some: readonly Dated[]): Promise<void> {
    for (const { id, at } of some) {
      const part = `${side}-${(sha256(id)[0] ?? 0) % PARTS}`
      const waiting = `${this.#waiting.get(part) ?? ''}${JSON.stringify([id, at])}\n`
      this.#waiting.set(part, waiting)
      if (waiting.length >= WAITING) await this.#flush(part)
    }
  }

  /** The differences, one part of the ids after the other. */
  async *compare(window: Window): AsyncGenerator<Differences> {
    for (let part = 0; part < PARTS; part += 1) {
      const [rows, artifacts] = [await this.#read(`rows-${part}`), await this.#read(`artifacts-${part}`)]
      yield reconcile(rows, artifacts, window)
    }
  }

  async #flush(part: string): Promise<void> {
    await appendFile(join(this.#folder, part), this.#waiting.get(part) ?? '')
    this.#waiting.delete(part)
  }

  async #read(part: string): Promise<Dated[]> {
    await this.#flush(part) // makes the file, too
    const lines = (await readFile(join(this.#folder, part), 'utf8')).split('\n').slice(0, -1)
    return lines.map((line) => {
      const [id, at]: [string, string] = JSON.parse(line)
      return { id, at }
    })
  }
}
