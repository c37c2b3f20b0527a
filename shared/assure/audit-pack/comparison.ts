// Compares the rows of populations with the artifacts of the chain, as sets of ids, while both are read. The ids are written to
// files, spread by their hash, and one pair of files is compared at a time, so memory does not limit how many there are.
import { appendFile, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { readHeader } from '../../ledger/evidence/artifact/referenced-artifacts.ts'
import type { Position } from '../exports/pack/range.ts'
import type { Window } from '../exports/window.ts'
import { isWithin, type Population, type Row } from '../populations/population.ts'
import { sha256 } from '../../base/lib/json.ts'

/** `at`: ISO 8601. */
type Dated = { id: string; at: string }

type Differences = { rows_without_artifact: string[]; artifacts_without_row: string[] }

/**
 * Close to a border of the window an id may be on one side only, because a row and its artifact differ by milliseconds. So it is
 * compared, but its absence is no finding.
 */
const BORDER_MS = 60_000

/** Whether the absence of a counterpart counts. */
export function isInside({ start_at, end_at }: Window): (one: Dated) => boolean {
  const [from, to] = [Date.parse(start_at) + BORDER_MS, Date.parse(end_at) - BORDER_MS]
  return ({ at }) => Date.parse(at) >= from && Date.parse(at) < to
}

/**
 * The ids of each side that the other lacks, sorted, each once. Pass all ids of both sides; the window decides which are
 * reported.
 */
export function reconcile(rows: Iterable<Dated>, artifacts: Iterable<Dated>, window: Window): Differences {
  const inside = isInside(window)
  const [left, right] = [byId(rows), byId(artifacts)]
  const without = (some: Map<string, Dated>, others: Map<string, Dated>) =>
    [...some.values()].filter((one) => !others.has(one.id) && inside(one)).map(({ id }) => id)
  return {
    rows_without_artifact: without(left, right).toSorted(),
    artifacts_without_row: without(right, left).toSorted(),
  }
}

/** Of several with one id, one inside counts: the first is kept. */
const byId = (some: Iterable<Dated>): Map<string, Dated> => new Map([...some].toReversed().map((one) => [one.id, one]))

const PARTS = 64
/** Characters of one part that wait in memory. */
const WAITING = 16_384

type Side = 'rows' | 'artifacts'

/** Two sets of ids that may be larger than memory, in files. */
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

  /** Undefined for a population that is not compared. */
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
