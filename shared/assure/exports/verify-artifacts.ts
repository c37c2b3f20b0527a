// Recomputes the chain from the bytes of a pack's artifacts and compares it with the signed checkpoints.
import { canonicalJson } from '../../base/lib/canonical-json.ts'
import { hasDuplicateMembers, namesTwice } from '../../base/lib/duplicate-members.ts'
import { sameBytes } from '../../base/lib/hash.ts'
import { ChainWalk } from '../../ledger/evidence/verify/chain-walk.ts'
import { readHeader } from '../../ledger/evidence/artifact/read-header.ts'
import { genesisLink } from '../../ledger/evidence/artifact/hashes.ts'
import type { Header } from '../../ledger/evidence/artifact/header.ts'
import { PACK, type PackManifest, readArtifactLine } from './pack.ts'
import { type PackFiles, readLines } from './pack-reader.ts'
import { Unreadable } from './pack-shape.ts'
import type { Report } from './verify-report.ts'
import type { SignedRoot } from './verify-signatures.ts'

export type Walking = {
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
