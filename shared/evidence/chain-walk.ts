// Recomputes a run of the chain from the bytes of its artifacts. Nothing that is stored is believed: each link is computed
// from the artifact and the link before it, and then compared with the link on record. After a difference the walk goes on
// from the link on record, so that one changed artifact is one finding and not all those behind it.
import { sameBytes } from '../lib/hash.ts'
import type { Finding } from './chain.ts'
import { artifactHash, link } from './hashes.ts'
import type { Header } from './header.ts'
import { append, type Frontier, leafHash, rootOf } from './merkle.ts'

/** Where a walk begins: the number of artifacts before it, their last link (or the genesis link) and their frontier. */
export type ChainState = { size: number; link: Uint8Array; frontier: Frontier }

/** One position as it is on record. `ch` is its link, `ah` the artifact hash that the sequencer was given. */
export type Line = {
  artifact_id: string
  header: string | undefined
  ch?: Uint8Array | undefined
  ah?: Uint8Array | undefined
  /** `ch` was just computed from `ah` and the link before it, and need not be again. */
  follows?: boolean
  /** Something else about the record is wrong (its own number, the link it names as previous, …). */
  misplaced?: boolean
}

export class ChainWalk {
  readonly chain: string
  readonly findings: Finding[] = []
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

  /** The next position. */
  follow(line: Line): void {
    const computed = line.header === undefined ? undefined : artifactHash(line.header)
    const reason = this.#judge(line, computed)
    if (reason) this.report(line.artifact_id, reason)
    this.#seen.add(line.artifact_id)
    const ah = line.ah ?? computed
    const next = line.ch ?? (ah && this.#linkTo(ah))
    if (!next) return this.skipTo(this.size + 1, this.link)
    this.#frontier = this.#frontier && append(this.#frontier, this.#size, leafHash(next))
    this.#size += 1
    this.#link = next
  }

  /** Positions before `size` are not on record; the walk goes on from the link that is said to precede it. */
  skipTo(size: number, previous: Uint8Array): void {
    for (let sequence = this.size; sequence < size; sequence += 1) this.report(null, 'missing', sequence)
    this.#frontier = undefined
    this.#size = size
    this.#link = previous
  }

  /** Goes on from another link than the walk arrived at: the one on record. */
  resume(from: Uint8Array): void {
    this.#link = from
  }

  /** A finding, by default at the position that follows next. */
  report(artifact_id: string | null, reason: Finding['reason'], sequence: number = this.size): void {
    this.findings.push({ sequence, artifact_id, reason })
  }

  /** True when no position was missing and the tree of all links so far has this root. */
  hasRoot(root: Uint8Array): boolean {
    return this.#frontier !== undefined && sameBytes(rootOf(this.#frontier), root)
  }

  #linkTo(ah: Uint8Array): Buffer {
    return link(this.chain, this.#size, this.#link, ah)
  }

  #judge(line: Line, computed: Uint8Array | undefined): Finding['reason'] | undefined {
    if (this.#seen.has(line.artifact_id)) return 'duplicate'
    if (line.header === undefined || !computed) return 'missing'
    if (line.ah && !sameBytes(line.ah, computed)) return 'content'
    if (line.ch && !line.follows && !sameBytes(line.ch, this.#linkTo(computed))) return 'link'
    if (line.misplaced || !names(line.header, this.chain, line.artifact_id)) return 'position'
    return undefined
  }
}

/** The header is about this artifact of this chain. */
function names(header: string, chain: string, artifactId: string): boolean {
  try {
    const parsed: Partial<Header> | null = JSON.parse(header)
    return parsed?.chain === chain && parsed.artifact_id === artifactId
  } catch {
    return false
  }
}
