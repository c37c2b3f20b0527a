// Draws a sample that the audited side cannot steer: the rows whose id, hashed with a seed, gives the smallest hashes. Anybody with
// the seed and the ids draws the same one.
import { sha256Hex } from '../../base/lib/hash.ts'

type Drawn<T> = { rank: string; row: T }

const byRank = <T>(a: Drawn<T>, b: Drawn<T>) => (a.rank < b.rank ? -1 : 1)

/** Draws while rows go by, and keeps at most twice the size of the sample. */
export class Sample<T> {
  readonly #size: number
  readonly #seed: string
  #drawn: Drawn<T>[] = []

  /** `seed`: 64 hex digits. */
  constructor(size: number, seed: string) {
    this.#size = size
    this.#seed = seed
  }

  see(id: string, row: T): void {
    this.#drawn.push({ rank: sha256Hex(`${this.#seed}\n${id}`), row })
    if (this.#drawn.length >= 2 * this.#size) this.#settle()
  }

  /** In the order of their hashes. All rows when there are fewer than the size. */
  rows(): T[] {
    this.#settle()
    return this.#drawn.map(({ row }) => row)
  }

  #settle(): void {
    this.#drawn = this.#drawn.sort(byRank).slice(0, this.#size)
  }
}
