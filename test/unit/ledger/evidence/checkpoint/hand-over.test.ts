import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { checkpoint, handOver } from '../../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { objectKey } from '../../../../../shared/ledger/evidence/checkpoint/checkpoint-store.ts'
import { getArtifact, latestArtifacts } from '../../../../../shared/govern/completeness/latest.ts'
import { listCheckpoints, readSigners } from '../../../../../shared/ledger/evidence/checkpoint/signers.ts'
import { noteKey, openNote, verifierKey } from '../../../../../shared/ledger/evidence/checkpoint/note.ts'
import { proveArtifact } from '../../../../../shared/ledger/evidence/checkpoint/prove.ts'
import { verifySegment } from '../../../../../shared/ledger/evidence/verify/segment.ts'
import { sequence } from '../../../../../shared/ledger/evidence/chain/sequence.ts'
import { verifyChain } from '../../../../../shared/ledger/evidence/verify/verify.ts'
import { sha256Hex } from '../../../../../shared/base/lib/json.ts'
import { coldStart } from '../../../../../shared/base/lib/memory.ts'
import { ConditionFailed } from '../../../../../shared/base/table/table.ts'
import { foundedWorld, recordMany, SPACE, type World } from '../world.ts'

const NAME = `countersign.example/${SPACE.tenant_id}/live`

let it: World
let ids: string[]
beforeEach(async () => {
  it = await foundedWorld()
  ids = await grow(3)
  await sign()
})
afterEach(() => {
  delete process.env.FORMER_SIGN_KEY_IDS
})

async function grow(count: number): Promise<string[]> {
  it.clock.moveTo(it.clock.now() + 60_000)
  const made = await recordMany(it.ctx, count)
  await sequence(it.ctx)
  return made
}
/** As the function does with a message. */
async function sign(): Promise<string> {
  for (;;) {
    const outcome = await checkpoint(it.ctx)
    if (outcome !== 'more') return outcome
  }
}
/** A deployment with another key, which the functions meet with their next container. */
function deploy(key: string, ...former: string[]): void {
  process.env.SIGN_KEY_ID = key
  process.env.FORMER_SIGN_KEY_IDS = former.join(',')
  coldStart()
}
/** Lets another key sign two checkpoints, of which the second carries its signature alone. */
async function signAlone(key: string): Promise<void> {
  deploy(key, 'sign')
  for (let round = 0; round < 2; round += 1) {
    await grow(2)
    await sign()
  }
}
const note = (size: number): string => JSON.parse(it.s3.objects.get(objectKey(SPACE, size)) ?? '{}').note
const opens = (size: number, key: string) => openNote(note(size), [noteKey(NAME, it.kms.spkiOf(key))]) !== undefined
const keyText = (key: string) => verifierKey(noteKey(NAME, it.kms.spkiOf(key)))
const place = { pk: `T#${SPACE.tenant_id}#live#CHAIN`, sk: 'K#0000000000000000' }
/** Leaves the succession only the signature of one of its two keys. */
function signedOnlyBy(key: string): void {
  it.table.tamper('table', place, (item) => {
    const [text = '', ...lines] = (item.succession?.S ?? '').split(/\n(?=\n|—)/)
    const kept = lines.filter((line) => {
      const alone = `${text}\n\n${line.trim()}\n`
      return openNote(alone, [noteKey(NAME, it.kms.spkiOf(key))]) !== undefined
    })
    expect(kept).toHaveLength(1)
    return { ...item, succession: { S: `${text}\n\n${kept.join('').trim()}\n` } }
  })
}
const rotations = async () => (await latestArtifacts(it.ctx, { type: 'evidence.key.rotated' })).items

describe('a new signing key', () => {
  test('is named by an artifact, which the first checkpoint under both keys covers', async () => {
    deploy('next', 'sign')
    await grow(2)

    expect(await sign()).toBe('signed')
    const [rotated] = await rotations()
    const data = {
      old_key_spki_sha256: sha256Hex(it.kms.spki),
      new_key_spki_sha256: sha256Hex(it.kms.spkiOf('next')),
      from_size: 5,
    }
    expect(rotated).toMatchObject({ sequence: 5, chain_status: 'anchored' })
    const { header } = await getArtifact(it.ctx, rotated?.artifact_id ?? '')
    expect(JSON.parse(header)).toMatchObject({ actor: { kind: 'system' }, data })
    expect([opens(6, 'sign'), opens(6, 'next')]).toEqual([true, true])
  })

  test('signs alone from then on, and is named once', async () => {
    deploy('next', 'sign')
    await grow(2)
    await sign()
    await grow(2)
    await sign()

    expect([opens(8, 'sign'), opens(8, 'next')]).toEqual([false, true])
    expect(await rotations()).toHaveLength(1)
  })

  test('leaves everything that the old one signed verifiable, though KMS lost that', async () => {
    deploy('next', 'sign')
    const before = await verifyChain(it.ctx, 'api')
    await grow(2)
    await sign()
    it.kms.lost.add('sign')
    coldStart()

    expect(opens(7, 'next')).toBe(true)
    const after = await verifyChain(it.ctx, 'api')
    for (const result of [before, after]) {
      expect(result).toMatchObject({ chain_valid: true, signature_status: 'all_verified', broken_links: 0 })
    }
    expect(after.verification.verifier_keys).toEqual([keyText('sign'), keyText('next')])
    expect((await listCheckpoints(it.ctx, {})).verifier_keys).toEqual([keyText('sign'), keyText('next')])
    expect(await proveArtifact(it.ctx, ids[0] ?? '')).toContain('tlog-proof')
    expect((await verifySegment(it.ctx, { from: 0, to: 7 })).broken).toEqual([])
  })

  test('is not taken back by a container that has not heard of it', async () => {
    deploy('next', 'sign')
    await grow(2)
    await sign()
    deploy('sign')
    await grow(2)

    expect(await sign()).toBe('idle')
    expect(await rotations()).toHaveLength(1)
    expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: true, signature_status: 'all_verified' })
  })

  test('may be followed by another one', async () => {
    for (const [key, former] of [
      ['next', 'sign'],
      ['third', 'next'],
    ] as const) {
      deploy(key, former)
      await grow(1)
      await sign()
    }

    const { verification, ...result } = await verifyChain(it.ctx, 'api')
    expect(result).toMatchObject({ chain_valid: true, signature_status: 'all_verified' })
    expect(verification.verifier_keys).toEqual(['sign', 'next', 'third'].map(keyText))
    expect([opens(5, 'sign'), opens(7, 'next'), opens(7, 'third')]).toEqual([true, true, true])
  })

  test('that signs without the chain having named it is not believed', async () => {
    await signAlone('foreign')
    it.table.tamper('table', place, () => undefined)
    deploy('next', 'sign')

    expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: false, signature_status: 'failed' })
  })

  test('that the one before it did not sign is not believed', async () => {
    await signAlone('foreign')
    signedOnlyBy('foreign')
    deploy('sign')

    const result = await verifyChain(it.ctx, 'api')
    expect(result).toMatchObject({ chain_valid: false, signature_status: 'failed' })
    expect(result.verification.verifier_keys).toEqual([keyText('sign')])
  })

  test('does not vouch for one before it that it did not follow by its own signature', async () => {
    await signAlone('next')
    signedOnlyBy('sign')
    coldStart()

    const result = await verifyChain(it.ctx, 'api')
    expect(result).toMatchObject({ chain_valid: false, signature_status: 'failed' })
  })

  test('is not used where the one before it is gone before it signed the succession', async () => {
    deploy('next', 'sign')
    it.kms.lost.add('sign')
    await grow(2)

    expect(await sign()).toBe('refused')
    expect([...it.s3.objects.keys()].filter((key) => key.startsWith('checkpoints/'))).toEqual([objectKey(SPACE, 3)])
    expect(await rotations()).toEqual([])
  })

  test('takes over a chain to which nothing is added', async () => {
    deploy('next', 'sign')

    expect(await sign()).toBe('signed')
    expect([opens(4, 'sign'), opens(4, 'next')]).toEqual([true, true])
    expect(await sign()).toBe('idle')
  })

  test('takes over a chain that met none of those between', async () => {
    deploy('third', 'sign', 'next')
    await grow(1)
    await sign()

    const { verification, ...result } = await verifyChain(it.ctx, 'api')
    expect(result).toMatchObject({ chain_valid: true, signature_status: 'all_verified' })
    expect(verification.verifier_keys).toEqual(['sign', 'third'].map(keyText))
  })
})

test('two runs that meet a new key at once name it once', async () => {
  deploy('next', 'sign')
  await grow(2)
  await Promise.all([sign(), sign()])

  expect(await rotations()).toHaveLength(1)
  expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: true, signature_status: 'all_verified' })
})

test('a run that met a new key before another one named it does not name it again, though the chain has grown', async () => {
  deploy('next', 'sign')
  const signers = await readSigners(it.ctx)
  expect(await handOver(it.ctx, signers, 3)).toBe(true)
  await grow(2)

  expect(await handOver(it.ctx, signers, 6)).toBe(true)
  expect(await rotations()).toHaveLength(1)
  expect(await sign()).toBe('signed')
  expect(await verifyChain(it.ctx, 'api')).toMatchObject({ chain_valid: true, signature_status: 'all_verified' })
})

test('a named key whose record lost its shape ends the run instead of being named forever', async () => {
  deploy('next', 'sign')
  const signers = await readSigners(it.ctx)
  await handOver(it.ctx, signers, 3)
  it.table.tamper('table', place, (item) => ({ ...item, spki: { S: 'x' } }))
  await grow(2)

  await expect(sign()).rejects.toThrow(ConditionFailed)
})
