// Checks the payloads of a pack. Each artifact that commits to a payload has exactly one line, which holds that payload or names
// the artifact of its erasure.
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { hex, payloadCommitment } from '../../ledger/evidence/artifact/hashes.ts'
import { type Log, openProven } from '../../ledger/evidence/checkpoint/proven.ts'
import { PACK, type PackPayload } from './pack.ts'
import { type PackFiles, readLines } from './pack-reader.ts'
import { readPayloadLine, readProven } from './pack-shape.ts'
import type { Report } from './verify-report.ts'

/**
 * How long a container may keep a key after its erasure. A payload sealed meanwhile is lost, too, although it is newer than the
 * erasure of its data subject.
 */
const KEY_KEPT_MS = 300_000

type Facts = Pick<Partial<Header>, 'payload_commitment' | 'request_id' | 'subject_ref' | 'occurred_at'>
type Placed = Facts & { sequence: number }

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
