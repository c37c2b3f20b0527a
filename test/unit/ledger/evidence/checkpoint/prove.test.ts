import { beforeEach, describe, expect, test } from 'vitest'
import { artifactKey, StoredArtifact } from '../../../../../shared/ledger/evidence/artifact/artifact.ts'
import { checkpointKey } from '../../../../../shared/ledger/evidence/chain/chain.ts'
import { checkpoint } from '../../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { artifactHash, chainName, link } from '../../../../../shared/ledger/evidence/artifact/hashes.ts'
import { leafHash } from '../../../../../shared/ledger/evidence/chain/merkle.ts'
import { noteKey, openNote, parseCheckpoint } from '../../../../../shared/ledger/evidence/checkpoint/note.ts'
import { includes } from '../../../../../shared/ledger/evidence/checkpoint/proofs.ts'
import { proveArtifact } from '../../../../../shared/ledger/evidence/checkpoint/prove.ts'
import { sequence } from '../../../../../shared/ledger/evidence/chain/sequence.ts'
import { tlogProof } from '../../../../../shared/ledger/evidence/checkpoint/proven.ts'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { editAndRehash, editEntries, insertStray, removeBlock } from '../tampering.ts'
import { foundedWorld, recordMany, SPACE, TABLE, type World } from '../world.ts'

const NAME = `countersign.example/${SPACE.tenant_id}/live`
const NOT_YET = { kind: 'conflict', detail: 'No signed checkpoint covers the artifact yet. Try again in a minute.' }
const UNPROVEN = { kind: 'conflict', detail: expect.stringContaining('does not prove this artifact') }

let it: World
let ids: string[]

async function grow(count: number): Promise<void> {
  ids.push(...(await recordMany(it.ctx, count)))
  await sequence(it.ctx)
}

async function sign(): Promise<void> {
  it.clock.moveTo(it.clock.now() + 60_000)
  await checkpoint(it.ctx)
}

/** Checkpoints at 3, 4, 11 and 24; two artifacts behind the last. The third covers two blocks. */
beforeEach(async () => {
  it = await foundedWorld()
  ids = []
  await grow(3)
  await sign()
  await grow(1)
  await sign()
  await grow(5)
  await grow(2)
  await sign()
  await grow(13)
  await sign()
  await grow(2)
})

const stored = (id: string) => StoredArtifact.parse(unmarshall(it.table.item(TABLE, artifactKey(SPACE, id)) ?? {}))

/** What an auditor does with the text, the artifact and the public key. */
function holds(text: string, id: string): boolean {
  const [, index = '', path = '', note = ''] =
    /^c2sp\.org\/tlog-proof@v1\nindex (\d+)\n((?:[A-Za-z0-9+/]{43}=\n)*)\n([^]+)$/.exec(text) ?? []
  const signed = parseCheckpoint(openNote(note, [noteKey(NAME, it.kms.spki)]) ?? '')
  const { header, prev = new Uint8Array() } = stored(id)
  const leaf = leafHash(link(chainName(SPACE), Number(index), prev, artifactHash(header)))
  const proof = path
    .split('\n')
    .slice(0, -1)
    .map((line) => Buffer.from(line, 'base64'))
  return signed !== undefined && includes({ leaf, index: Number(index), proof, size: signed.size, root: signed.root })
}

describe('the proof of an artifact', () => {
  test('holds for each that is anchored, and for no other artifact', async () => {
    for (const [index, id] of ids.slice(0, 24).entries()) {
      const text = await proveArtifact(it.ctx, id)

      expect(holds(text, id), String(index)).toBe(true)
      expect(holds(text, ids[(index + 1) % 24] ?? ''), String(index)).toBe(false)
    }
  })

  test('is against the first checkpoint that covers it, and so never changes', async () => {
    const before = await proveArtifact(it.ctx, ids[4] ?? '')
    await sign()

    expect(before).toContain(`\n\n${NAME}\n11\n`)
    expect(await proveArtifact(it.ctx, ids[4] ?? '')).toBe(before)
  })

  test('reads no other artifact, and no block outside its two checkpoints', async () => {
    const calls: string[] = []
    it.table.hooks.before = ({ name, input }) => void calls.push(`${name} ${JSON.stringify(input)}`)
    await proveArtifact(it.ctx, ids[20] ?? '')

    expect(calls.length).toBeLessThanOrEqual(5) // artifact, checkpoint, genesis, keys, one page of blocks
    expect(calls.filter((call) => call.includes('#EV#'))).toHaveLength(1)
  })

  test('is found although the table lost the checkpoint: the bucket has it', async () => {
    const proof = await proveArtifact(it.ctx, ids[3] ?? '')
    it.table.tamper(TABLE, checkpointKey(SPACE, 4), () => undefined)
    it.table.tamper(TABLE, checkpointKey(SPACE, 11), () => undefined)

    expect(await proveArtifact(it.ctx, ids[3] ?? '')).toBe(proof)
  })
})

describe('409', () => {
  test('while no checkpoint covers the artifact', async () => {
    const [pending = ''] = await recordMany(it.ctx, 1)

    await expect(proveArtifact(it.ctx, ids[24] ?? '')).rejects.toMatchObject(NOT_YET)
    await expect(proveArtifact(it.ctx, pending)).rejects.toMatchObject(NOT_YET)
  })

  test.each<[string, () => void]>([
    ['the artifact was changed', () => editAndRehash(it, ids[5] ?? '')],
    [
      'another artifact of its minute was changed with the block',
      () =>
        editEntries(it, 3, (all) => all.map((one, index) => (index === 0 ? { ...one, ah: Buffer.alloc(32) } : one))),
    ],
    ['the block is gone', () => removeBlock(it, 3)],
    [
      'the checkpoint does not hold',
      () => it.s3.objects.forEach((text, key) => it.s3.objects.set(key, text.replace('— ', '— x'))),
    ],
  ])('when %s', async (_, tamper) => {
    tamper()

    await expect(proveArtifact(it.ctx, ids[5] ?? '')).rejects.toMatchObject(UNPROVEN)
  })

  test('for an artifact that was put beside the chain', async () => {
    const stray = insertStray(it, ids[5] ?? '')

    await expect(proveArtifact(it.ctx, stray)).rejects.toMatchObject(UNPROVEN)
  })
})

test('404: an artifact of another mode', async () => {
  const other = { ...it.ctx, space: { ...SPACE, mode: 'test' as const } }

  await expect(proveArtifact(other, ids[0] ?? '')).rejects.toMatchObject({ kind: 'not_found' })
})

test('503: the bucket does not answer', async () => {
  it.s3.down = true

  await expect(proveArtifact(it.ctx, ids[0] ?? '')).rejects.toMatchObject({ kind: 'unavailable' })
})

test('the text is the one of c2sp.org/tlog-proof', () => {
  const note = 'log.example\n1\nroot=\n\n— log.example sig\n'

  expect(tlogProof({ index: 0, hashes: [], checkpoint: note })).toBe(`c2sp.org/tlog-proof@v1\nindex 0\n\n${note}`)
  expect(tlogProof({ index: 7, hashes: [Buffer.alloc(32), Buffer.alloc(32, 255)], checkpoint: note })).toBe(
    `c2sp.org/tlog-proof@v1\nindex 7\n${'A'.repeat(43)}=\n${'/'.repeat(42)}8=\n\n${note}`,
  )
})
