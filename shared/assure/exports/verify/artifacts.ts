// Recomputes the chain from the bytes of a pack's artifacts, compares it with the signed checkpoints, and checks the payloads that
// the artifacts commit to.
import { canonicalJson, sameBytes } from '../../../base/lib/json.ts'
import { hasDuplicateMembers, namesTwice } from '../../../base/lib/duplicate-members.ts'
import { ChainWalk } from '../../../ledger/evidence/verify/chain-walk.ts'
import { readHeader } from '../../../ledger/evidence/artifact/referenced-artifacts.ts'
import { genesisLink, hex, payloadCommitment } from '../../../ledger/evidence/artifact/hashes.ts'
import type { Header } from '../../../ledger/evidence/artifact/header.ts'
import { PACK, type PackManifest, type PackPayload, readArtifactLine } from '../pack/pack.ts'
import { type PackFiles, readLines, readPayloadLine, readProven, Unreadable } from '../pack/reader.ts'
import type { Report } from './report.ts'
import type { SignedRoot } from './pack.ts'
import { type Log, openProven } from '../../../ledger/evidence/checkpoint/proven.ts'

type Walking = {
  manifest: PackManifest
  signed: readonly SignedRoot[]
  strict: boolean
  /** Called with each readable header and its position. */
  see: (header: Partial<Header>, sequence: number) => void
  report: Report
}

/** Returns the number of artifacts. */
export async function walkArtifacts(files: PackFiles, { manifest, signed, strict, see, report }: Walking) {
  const { range, chain } = manifest
  const walk = beginWalk(manifest, report)
  const ahead = [...signed].sort((a, b) => b.size - a.size)
  const meet = () => {
    for (let next = ahead.at(-1); next?.size === walk.size; next = ahead.at(-1)) {
      if (walk.hasRoot(next.root)) report.passCheckpoint(next.size)
      else report.failCheckpoint(next.size, 'root')
      ahead.pop()
    }
  }
  meet()
  const follow = (line: string) => {
    const parts = readArtifactLine(line)
    const read = parts && readHeader(parts.header)
    const artifact_id = typeof read?.artifact_id === 'string' ? read.artifact_id : null
    if (artifact_id === null) walk.report(null, 'content')
    else if (strict && canonicalJson(read) !== parts?.header)
      report.add(walk.size, artifact_id, formFinding(parts?.header))
    else if (!strict && namesTwice(parts?.header ?? '', read)) report.add(walk.size, artifact_id, 'duplicate_member')
    if (read) see(read, walk.size)
    report.follow(read?.occurred_at)
    const ch = parts && Buffer.from(parts.link, 'hex')
    walk.follow({ artifact_id, header: parts?.header ?? line, read, ch })
    meet()
  }
  for await (const lines of readLines(files, PACK.artifacts)) lines.forEach(follow)
  for (const { size } of ahead.reverse()) report.failCheckpoint(size, 'root')
  if (walk.size !== range.to || chain !== manifest.genesis.chain) walk.report(null, 'position')
  report.broken.push(...walk.findings)
  return walk.size - range.from
}

/** The finding for a header that is not in JCS form. */
const formFinding = (header = '') => (hasDuplicateMembers(header) ? 'duplicate_member' : 'not_canonical')

/** Begins at the genesis, or at the frontier in the pack: a forged frontier would not lead to the signed root. */
function beginWalk({ chain, genesis, range, start }: PackManifest, report: Report): ChainWalk {
  const link = Buffer.from(start.link, 'hex')
  const ones = start.size.toString(2).replaceAll('0', '').length
  if (start.size !== range.from || start.frontier.length !== ones)
    throw new Unreadable('the start of the pack does not match its range')
  if (start.size === 0 && !sameBytes(link, genesisLink(genesis))) report.add(0, null, 'link')
  return new ChainWalk(chain, {
    size: start.size,
    link,
    frontier: start.frontier.map((one) => Buffer.from(one, 'hex')),
  })
}

/**
 * How long a container may keep a key after its erasure. A payload sealed meanwhile is lost, too, although it is newer than the
 * erasure of its data subject.
 */
const KEY_KEPT_MS = 300_000

type Facts = Pick<Partial<Header>, 'payload_commitment' | 'request_id' | 'subject_ref' | 'occurred_at'>
type Placed = Facts & { sequence: number }

/**
 * Checks the payloads of a pack. Each artifact that commits to a payload has exactly one line, which holds that payload or names
 * the artifact of its erasure.
 */
export class Payloads {
  readonly #committed = new Map<string, Placed>()
  readonly #erasures = new Map<string, Placed>()

  readonly see = (header: Partial<Header>, sequence: number): void => {
    const { artifact_id, type, payload_commitment } = header
    if (typeof artifact_id !== 'string') return
    if (payload_commitment !== undefined) this.#committed.set(artifact_id, placed(header, sequence))
    if (type === 'evidence.payload.erased') this.#erasures.set(artifact_id, placed(header, sequence))
  }

  async check(files: PackFiles, log: Log, report: Report): Promise<void> {
    // An artifact that no signed checkpoint covers does not prove an erasure.
    for (const [id, { sequence }] of this.#erasures) {
      if (sequence >= report.anchoredThrough) this.#erasures.delete(id)
    }
    if (files.paths.has(PACK.erasures)) {
      for await (const lines of readLines(files, PACK.erasures))
        for (const line of lines) this.#readErasure(line, log, report)
    }
    for await (const lines of readLines(files, PACK.payloads)) for (const line of lines) this.#follow(line, report)
    for (const [id, { sequence }] of this.#committed) report.failPayload(sequence, id, 'payload')
  }

  #readErasure(line: string, log: Log, report: Report): void {
    const read = readProven(line)
    const proof = read && openProven(read, log)
    const { artifact_id, type } = proof?.facts ?? {}
    if (!proof || artifact_id === undefined || type !== 'evidence.payload.erased') {
      report.addFile(PACK.erasures, 'erasure')
      return
    }
    this.#erasures.set(artifact_id, placed(proof.facts, proof.sequence))
  }

  #follow(line: string, report: Report): void {
    const read = readPayloadLine(line)
    const of = read && this.#committed.get(read.artifact_id)
    if (!read || !of) return report.failPayload(null, read?.artifact_id ?? null, 'payload')
    this.#committed.delete(read.artifact_id)
    if ('erased_by' in read) {
      if (erases(this.#erasures.get(read.erased_by), of)) report.payloads.erased += 1
      else report.failPayload(of.sequence, read.artifact_id, 'erasure')
    } else if (holds(read, of)) report.payloads.verified += 1
    else report.failPayload(of.sequence, read.artifact_id, 'payload')
  }
}

const placed = ({ payload_commitment, request_id, subject_ref, occurred_at }: Facts, sequence: number): Placed => ({
  payload_commitment,
  request_id,
  subject_ref,
  occurred_at,
  sequence,
})

const holds = ({ salt, payload }: Extract<PackPayload, { salt: string }>, { payload_commitment }: Placed): boolean =>
  hex(payloadCommitment(Buffer.from(salt, 'hex'), payload)) === payload_commitment

/** Whether an erasure covers this payload: it names the execution, or its data subject and is not older than the payload. */
function erases(erasure: Placed | undefined, { request_id, subject_ref, occurred_at = '' }: Placed): boolean {
  if (!erasure) return false
  if (erasure.request_id !== undefined) return erasure.request_id === request_id
  const since = Date.parse(erasure.occurred_at ?? '') + KEY_KEPT_MS
  return erasure.subject_ref !== undefined && erasure.subject_ref === subject_ref && since >= Date.parse(occurred_at)
}
