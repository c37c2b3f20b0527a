// What somebody who can write the table (and nothing else) may do to a chain behind the service's back.
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { artifactKey, newArtifact, StoredArtifact } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import {
  Block,
  blockKey,
  type Entry,
  Head,
  headKey,
  packEntries,
  unpackEntries,
} from '../../../../shared/ledger/evidence/chain/chain.ts'
import { artifactHash, chainName, link } from '../../../../shared/ledger/evidence/artifact/hashes.ts'
import { append, type Frontier, leafHash, rootOf } from '../../../../shared/ledger/evidence/chain/merkle.ts'
import { type Key, toAttributes } from '../../../../shared/base/table/entity.ts'
import { facts, SPACE, TABLE, type World } from './world.ts'

const change = (it: World, key: Key, members: Record<string, unknown>) =>
  it.table.tamper(TABLE, key, (item) => ({ ...item, ...toAttributes(members) }))

const artifactOf = (it: World, id: string) =>
  StoredArtifact.parse(unmarshall(it.table.item(TABLE, artifactKey(SPACE, id)) ?? {}))
const blockOf = (it: World, number: number) =>
  Block.parse(unmarshall(it.table.item(TABLE, blockKey(SPACE, number)) ?? {}))

export const editHeader = (it: World, id: string, members: Record<string, unknown> = {}) => {
  const header = artifactOf(it, id).header.replace('"version":"1.0.0"', '"version":"9.9.9"')
  change(it, artifactKey(SPACE, id), { header, ...members })
  return header
}

export const editAndRehash = (it: World, id: string) => {
  const header = editHeader(it, id)
  change(it, artifactKey(SPACE, id), { ah: artifactHash(header) })
}

export const remove = (it: World, id: string) => it.table.tamper(TABLE, artifactKey(SPACE, id), () => undefined)

export const strip = (it: World, id: string) =>
  it.table.tamper(TABLE, artifactKey(SPACE, id), ({ pk, sk, header, ah }) => ({
    ...(pk && sk && header && ah && { pk, sk, header, ah }),
  }))

/** Exchanges everything but the keys. */
export const swap = (it: World, a: string, b: string) => {
  const { pk: _pk, sk: _sk, ...first } = artifactOf(it, a)
  const { pk: _otherPk, sk: _otherSk, ...second } = artifactOf(it, b)
  change(it, artifactKey(SPACE, a), second)
  change(it, artifactKey(SPACE, b), first)
}

export const removeBlock = (it: World, number: number) =>
  it.table.tamper(TABLE, blockKey(SPACE, number), () => undefined)

export const editBlock = (it: World, number: number, members: Record<string, unknown>) =>
  change(it, blockKey(SPACE, number), members)

export const editEntries = (it: World, number: number, edit: (entries: Entry[]) => Entry[]) =>
  editBlock(it, number, { entries: packEntries(edit(unpackEntries(blockOf(it, number).entries))) })

export const editHead = (it: World, members: Record<string, unknown>) => change(it, headKey(SPACE), members)

/** Rewrites history from one block on, with every hash, link, root and the head as they would have been. */
export function rewriteFrom(it: World, number: number): void {
  const before = number > 1 ? blockOf(it, number - 1) : undefined
  const head = Head.parse(unmarshall(it.table.item(TABLE, headKey(SPACE)) ?? {}))
  let { frontier, size } = walkTo(it, number)
  let previous: Uint8Array = before?.last ?? blockOf(it, number).prev
  for (let at = number; at <= head.last_block; at += 1) {
    const prev = previous
    const entries = unpackEntries(blockOf(it, at).entries).map((entry) => {
      const ah = artifactHash(editHeader(it, entry.artifact_id))
      const ch = link(chainName(SPACE), size, previous, ah)
      change(it, artifactKey(SPACE, entry.artifact_id), { ah, prev: previous, ch })
      frontier = append(frontier, size, leafHash(ch))
      previous = ch
      size += 1
      return { ...entry, ah }
    })
    editBlock(it, at, { prev, last: previous, root_after: rootOf(frontier), entries: packEntries(entries) })
  }
  editHead(it, { last: previous, frontier })
}

function walkTo(it: World, number: number): { frontier: Frontier; size: number } {
  let [frontier, size]: [Frontier, number] = [[], 0]
  for (let at = 1; at < number; at += 1) {
    for (const { artifact_id } of unpackEntries(blockOf(it, at).entries)) {
      frontier = append(frontier, size, leafHash(artifactOf(it, artifact_id).ch ?? new Uint8Array()))
      size += 1
    }
  }
  return { frontier, size }
}

/** Cuts the last block off and sets the head back, as if it had never been. */
export function cutTail(it: World): void {
  const head = Head.parse(unmarshall(it.table.item(TABLE, headKey(SPACE)) ?? {}))
  const last = blockOf(it, head.last_block)
  for (const { artifact_id } of unpackEntries(last.entries)) remove(it, artifact_id)
  const { frontier } = walkTo(it, head.last_block)
  removeBlock(it, head.last_block)
  const number = head.last_block - 1
  editHead(it, { size: last.first, last: last.prev, frontier, last_block: number, finalized: number })
}

/** Puts an artifact into the table that was never recorded, as if it stood in the chain in the place of another. */
export function insertStray(
  it: World,
  like: string,
  { sk, ...members }: Partial<Pick<StoredArtifact, 'sk' | 'seq' | 'blk'>> = {},
): string {
  const artifact = newArtifact(it.ctx, facts())
  const { seq, prev, ch, blk } = artifactOf(it, like)
  const { artifact_id, header, ah } = artifact
  const key = { ...artifactKey(SPACE, artifact_id), ...(sk && { sk }) }
  change(it, key, { header, ah, seq, prev, ch, blk, ...members, _type: 'EV', _v: 1 })
  return artifact_id
}
