// What must hold of a stored chain once nothing is under way any more, checked from the raw items.
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { expect } from 'vitest'
import { unpackEntries } from '../../../../shared/ledger/evidence/chain/chain.ts'
import { artifactHash, chainName, genesisLink, hex, link } from '../../../../shared/ledger/evidence/artifact/hashes.ts'
import { append, type Frontier, leafHash, rootOf } from '../../../../shared/ledger/evidence/chain/merkle.ts'
import { SPACE, TABLE, type World } from './world.ts'

type Raw = Record<string, never> & { _type: string; sk: string }

const all = (it: World, type: string): Raw[] =>
  it.table
    .items(TABLE)
    .map((item) => unmarshall(item) as Raw)
    .filter(({ _type, ...item }) => _type === type && String(item['pk']).includes(`#${SPACE.mode}#`))
    .toSorted((a, b) => (a.sk < b.sk ? -1 : 1))

/** Every artifact stands exactly once in the chain, links and roots follow from each other, and no pointer is left. */
export function expectWholeChain(it: World, ids: readonly string[]): void {
  const [genesis] = all(it, 'GENESIS')
  const [head] = all(it, 'HEAD')
  const stored = new Map(all(it, 'EV').map((item) => [`art_${item.sk}`, item]))
  const seen: string[] = []
  let previous: Uint8Array = genesisLink(genesis as never)
  let frontier: Frontier = []
  for (const [index, block] of all(it, 'BLOCK').entries()) {
    expect(block).toMatchObject({ sk: `B#${String(index + 1).padStart(12, '0')}`, first: seen.length })
    for (const { artifact_id } of unpackEntries(block['entries'] ?? new Uint8Array())) {
      const item = stored.get(artifact_id)
      const ch = link(chainName(SPACE), seen.length, previous, artifactHash(String(item?.['header'])))
      expect(item).toMatchObject({ seq: seen.length, blk: index + 1 })
      expect([hex(item?.['prev'] ?? previous), hex(item?.['ch'] ?? previous)]).toEqual([hex(previous), hex(ch)])
      frontier = append(frontier, seen.length, leafHash(ch))
      previous = ch
      seen.push(artifact_id)
    }
    expect([hex(block['last'] ?? previous), hex(block['root_after'] ?? previous)]).toEqual([
      hex(previous),
      hex(rootOf(frontier)),
    ])
  }
  expect(seen.toSorted()).toEqual(ids.toSorted())
  expect(head).toMatchObject({ size: ids.length })
  expect(head?.['finalized']).toBe(head?.['last_block'])
  expect(hex(head?.['last'] ?? previous)).toBe(hex(previous))
  expect(all(it, 'POINTER')).toEqual([])
}
