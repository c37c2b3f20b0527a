// Compares populations with the chain while both go by: their ids lie in files, so memory does not limit how many there are.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { readHeader } from '../../ledger/evidence/artifact/read-header.ts'
import type { Position } from '../exports/pack/range.ts'
import type { Window } from '../exports/window.ts'
import { isWithin, type Population, type Row } from '../populations/population.ts'
import type { Differences } from './reconcile.ts'
import { Spill } from './spill.ts'

/** Ids of each side that are kept to be named in the report. */
const NAMED_MAX = 200

/** `artifacts`: those of the window. `named`: the first of the differences, which may be many more. */
export type Compared = {
  artifacts: number
  rows_without_artifact: number
  artifacts_without_row: number
  named: Differences
}

export class Comparison {
  readonly #spills = new Map<string, { population: Population; spill: Spill; artifacts: number }>()
  readonly #window: Window
  /** Whether the chain went by. Without it, nothing is compared. */
  #seen = false

  private constructor(window: Window) {
    this.#window = window
  }

  /** `folder`: an empty one. */
  static async in(folder: string, populations: readonly Population[], window: Window): Promise<Comparison> {
    const made = new Comparison(window)
    for (const population of populations) {
      if (!population.chain) continue
      const own = join(folder, population.name)
      await mkdir(own, { recursive: true })
      made.#spills.set(population.name, { population, spill: new Spill(own), artifacts: 0 })
    }
    return made
  }

  readonly see = async (positions: readonly Position[]): Promise<void> => {
    this.#seen = true
    const headers = positions.flatMap(({ header }) => readHeader(header) ?? [])
    for (const one of this.#spills.values()) {
      const found = headers.flatMap((header) => counterpart(one.population, header))
      one.artifacts += found.filter(({ at }) => isWithin(at, this.#window)).length
      await one.spill.add('artifacts', found)
    }
  }

  async add({ name, chain }: Population, rows: readonly Row[]): Promise<void> {
    const found = rows.flatMap((row) => chain?.ofRow(row) ?? [])
    await this.#spills.get(name)?.spill.add('rows', found)
  }

  /** All differences, once the rows and the chain went by. May be asked for again. */
  async *differences({ name }: Population): AsyncGenerator<Differences> {
    const found = this.#seen ? this.#spills.get(name) : undefined
    if (found) yield* found.spill.compare(this.#window)
  }

  /** Undefined for what is not compared. */
  async of(population: Population): Promise<Compared | undefined> {
    const found = this.#seen ? this.#spills.get(population.name) : undefined
    if (!found) return undefined
    const sum: Compared = {
      artifacts: found.artifacts,
      rows_without_artifact: 0,
      artifacts_without_row: 0,
      named: { rows_without_artifact: [], artifacts_without_row: [] },
    }
    for await (const part of this.differences(population))
      for (const side of ['rows_without_artifact', 'artifacts_without_row'] as const) {
        sum[side] += part[side].length
        sum.named[side].push(...part[side].slice(0, NAMED_MAX - sum.named[side].length))
      }
    return sum
  }
}

function counterpart({ chain }: Population, header: Partial<Header>) {
  const id = chain?.ofArtifact(header)
  return id !== undefined && header.occurred_at !== undefined ? [{ id, at: header.occurred_at }] : []
}
