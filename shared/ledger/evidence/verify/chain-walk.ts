// Recomputes a part of the chain from the bytes of its artifacts. Each link is computed from the artifact and the previous
// link, and compared with the stored one. After a difference the walk continues from the stored link, so one changed
// artifact is one finding, not one for each later artifact.
import { sameBytes } from '../../../base/lib/json.ts'
import type { Finding } from '../chain/chain.ts'
import type { ChainState } from '../chain/read-chain.ts'
import { artifactHash, link } from '../artifact/hashes.ts'
import type { Header } from '../artifact/header.ts'
import { readHeader } from '../artifact/referenced-artifacts.ts'
import { append, type Frontier, leafHash, rootOf } from '../chain/merkle.ts'

/** One stored position. `ch` is its link, `ah` the artifact hash that the sequencer received. */
export type Line = {
  /** Null when the record has none. */
  artifact_id: string | null
  header: string | undefined
  /** The parsed `header`, if it has been parsed already. */
  read?: Partial<Header> | undefined
  ch?: Uint8Array | undefined
  ah?: Uint8Array | undefined
  /** True if `ch` was just computed from `ah` and the previous link; then it is not computed again. */
  follows?: boolean
  /** True if another part of the record is wrong (its number, its previous link, …). */
  misplaced?: boolean
}

export class ChainWalk {
  readonly chain: string
  readonly findings: Finding[] = []
  /** Times of the first and the last artifact of the walk that have one. */
  readonly occurred: { first?: string; last?: string } = {}
  /** The last artifact of each type without a finding. */
  readonly newest = new Map<string, string>()
  readonly #seen = new Set<string>()
  #size: number
  #link: Uint8Array
  /** Unknown after a gap. */
  #frontier: Frontier | undefined

  constructor(chain: string, start: ChainState) {
    this.chain = chain
    this.#size = start.size
    this.#link = start.link
    this.#frontier = start.frontier
  }

  get size(): number {
    return this.#size
  }

  get link(): Uint8Array {
    return this.#link
  }

  /** Undefined once a position was missing. */
  get frontier(): Frontier | undefined {
    return this.#frontier
  }

  /** Checks the next position. */
  follow(line: Line): void {
    const computed = line.header === undefined ? undefined : artifactHash(line.header)
    const reason = this.#judge(line, computed)
    if (reason) this.report(line.artifact_id, reason)
    if (line.artifact_id !== null) this.#seen.add(line.artifact_id)
    const ah = line.ah ?? computed
    const next = line.ch ?? (ah && this.#linkTo(ah))
    if (!next) return this.skipTo(this.size + 1, this.link)
    this.#frontier = this.#frontier && append(this.#frontier, this.#size, leafHash(next))
    this.#size += 1
    this.#link = next
  }

  /** Skips positions before `size` that are not stored; the walk continues from the claimed previous link. */
  skipTo(size: number, previous: Uint8Array): void {
    for (let sequence = this.size; sequence < size; sequence += 1) this.report(null, 'missing', sequence)
    this.#frontier = undefined
    this.#size = size
    this.#link = previous
  }

  /** Continues from the stored link instead of the computed one. */
  resume(from: Uint8Array): void {
    this.#link = from
  }

  /** Adds a finding, by default at the next position. */
  report(artifact_id: string | null, reason: Finding['reason'], sequence: number = this.size): void {
    this.findings.push({ sequence, artifact_id, reason })
  }

  /** True when no position was missing and the tree of all links so far has this root. */
  hasRoot(root: Uint8Array): boolean {
    return this.#frontier !== undefined && sameBytes(rootOf(this.#frontier), root)
  }

  #pass(at: string): void {
    this.occurred.first ??= at
    this.occurred.last = at
  }

  #linkTo(ah: Uint8Array): Buffer {
    return link(this.chain, this.#size, this.#link, ah)
  }

  #judge(line: Line, computed: Uint8Array | undefined): Finding['reason'] | undefined {
    if (line.artifact_id !== null && this.#seen.has(line.artifact_id)) return 'duplicate'
    if (line.header === undefined || !computed) return 'missing'
    if (line.ah && !sameBytes(line.ah, computed)) return 'content'
    if (line.ch && !line.follows && !sameBytes(line.ch, this.#linkTo(computed))) return 'link'
    const header = line.read ?? readHeader(line.header)
    if (typeof header?.occurred_at === 'string') this.#pass(header.occurred_at) // a forged header may hold anything
    if (line.misplaced || header?.chain !== this.chain || header.artifact_id !== line.artifact_id) return 'position'
    if (header.type !== undefined && header.artifact_id !== undefined) this.newest.set(header.type, header.artifact_id)
    return undefined
  }
}
