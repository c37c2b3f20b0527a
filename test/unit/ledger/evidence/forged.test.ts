// Evidence that somebody with access to the table, and to nothing else, writes past the service.
import { beforeEach, describe, expect, test } from 'vitest'
import { artifactKey, newArtifact, pointerKey, shardOf } from '../../../../shared/ledger/evidence/artifact/artifact.ts'
import { checkpoint } from '../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { getArtifact } from '../../../../shared/govern/completeness/latest.ts'
import { commitWith } from '../../../../shared/ledger/evidence/artifact/record.ts'
import { sequence } from '../../../../shared/ledger/evidence/chain/sequence.ts'
import { verifyChain } from '../../../../shared/ledger/evidence/verify/verify.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { coldStart } from '../../../../shared/base/lib/memory.ts'
import { type Key, toAttributes } from '../../../../shared/base/table/entity.ts'
import { expectWholeChain } from './chain-state.ts'
import { insertStray } from './tampering.ts'
import { facts, foundedWorld, newestEvents, recordMany, SPACE, TABLE, type World } from './world.ts'

let it: World
beforeEach(async () => {
  it = await foundedWorld()
})

const put = (key: Key, item: object) => it.table.tamper(TABLE, key, () => toAttributes({ ...key, ...item }))

/** An approval that nobody gave, with its pointer, as the service would have written both but for the key. */
function forge(over: object = {}): string {
  const approval = { id: 'apr_1', action_digest: 'a'.repeat(64), stage: 0, decision: 'approve', approvers: [] }
  const made = newArtifact(it.ctx, facts({ type: 'approval.approved', request_id: 'exe_1', approval }))
  const { artifact_id, header, ah, type } = made
  put(artifactKey(SPACE, artifact_id), { header, ah, _type: 'EV', _v: 1 })
  const pointer = { s: shardOf(artifact_id), ah, at: iso(it.clock.now()), artifact_type: type, _type: 'POINTER', _v: 1 }
  put(pointerKey(SPACE, artifact_id), { ...pointer, ...over })
  return artifact_id
}

/** The artifact of the violation, which joins the chain. */
const TOLD = 1
const toldIn = ({ table }: World): string[] =>
  table
    .items(TABLE)
    .filter(({ header }) => header?.S?.includes('"compliance.violation.detected"'))
    .map(({ sk }) => `art_${sk?.S}`)

const macOf = (id: string) => it.table.item(TABLE, pointerKey(SPACE, id))?.mac?.B

test.each([
  ['without an attestation', async () => ({})],
  ['with an invented one', async () => ({ mac: new Uint8Array(32) })],
  ['with that of another artifact', async () => ({ mac: macOf((await recordMany(it.ctx, 1))[0] ?? '') })],
  ['in another shape', async () => ({ ah: 'no bytes' })],
])('an artifact written into the table %s is set aside, and the chain goes on without it', async (_, over) => {
  const id = forge(await over())
  const ids = await recordMany(it.ctx, 2)
  const { head } = await sequence(it.ctx)

  expect(it.table.item(TABLE, pointerKey(SPACE, id))).toBeUndefined()
  expect(it.table.item(TABLE, artifactKey(SPACE, id))).not.toHaveProperty('seq')
  expect(head?.counts).not.toHaveProperty(['approval.approved'])
  expect(newestEvents(it)).toMatchObject([
    { type: 'evidence.emitted' },
    { type: 'compliance.violation.detected', data: { check_id: 'EVD-01', failing_ids: [id] } },
  ])
  expect(await checkpoint(it.ctx)).toBe('signed')
  expect(await verifyChain(it.ctx, 'api')).toMatchObject({
    chain_valid: true,
    verification: { refused: { total: 1, artifacts: [{ artifact_id: id }] } },
  })
  expect(ids.every((one) => it.table.item(TABLE, artifactKey(SPACE, one))?.seq)).toBe(true)
})

test('more forgeries than a block holds delay nothing', async () => {
  for (let made = 0; made < 1_100; made += 1) forge()
  const ids = await recordMany(it.ctx, 3)

  expect(await sequence(it.ctx)).toMatchObject({ sequenced: 3 + TOLD })
  expectWholeChain(it, [...ids, ...toldIn(it)])
})

test('a pointer whose key no name could have is set aside as well', async () => {
  const { pk } = pointerKey(SPACE, forge())
  put({ pk, sk: 'z'.repeat(1_000) }, { _type: 'POINTER' })

  await expect(sequence(it.ctx)).resolves.toMatchObject({ sequenced: TOLD })
  expect((await verifyChain(it.ctx, 'api')).verification.refused?.total).toBe(2)
})

test('a pointer of the service in the place of another one does not stand in the chain twice', async () => {
  const [id = ''] = await recordMany(it.ctx, 1)
  const key = pointerKey(SPACE, id)
  const elsewhere = { ...key, pk: key.pk.replace(/\d$/, (shard) => String((Number(shard) + 1) % 4)) }
  const { pk: _pk, sk: _sk, ...rest } = it.table.item(TABLE, key) ?? {}
  it.table.tamper(TABLE, elsewhere, () => ({ ...toAttributes(elsewhere), ...rest }))

  expect(await sequence(it.ctx)).toMatchObject({ sequenced: 1 + TOLD })
  expectWholeChain(it, [id, ...toldIn(it)])
})

test('a pointer that belongs to another chain is none here', async () => {
  const other = newArtifact(it.ctx, facts())
  await it.ctx.table.commit(commitWith({ ...it.ctx, space: { ...SPACE, mode: 'test' } }, [{ artifact: other }]))
  const pointer = it.table.item(TABLE, pointerKey({ ...SPACE, mode: 'test' }, other.artifact_id)) ?? {}
  const key = pointerKey(SPACE, other.artifact_id)
  it.table.tamper(TABLE, key, () => ({ ...pointer, ...toAttributes(key) }))

  expect(await sequence(it.ctx)).toMatchObject({ sequenced: TOLD })
})

describe('a change of the attesting key', () => {
  const [former, present] = ['k'.repeat(44), 'n'.repeat(44)]
  /** What a container knows that starts now. */
  const started = async (secret: object) => {
    coldStart()
    Object.assign(it.secret, { previous_key: undefined }, secret)
    await recordMany({ ...it.ctx, space: { ...SPACE, mode: 'test' } }, 1)
  }

  test('is noticed by a sequencer that started before it', async () => {
    await started({ key: present, previous_key: former })
    const ids = await recordMany(it.ctx, 1)
    await started({ key: former })
    Object.assign(it.secret, { key: present, previous_key: former })

    expect(await sequence(it.ctx)).toMatchObject({ sequenced: 1 })
    expectWholeChain(it, ids)
  })

  test('leaves what was attested by the former one valid', async () => {
    const ids = await recordMany(it.ctx, 1)
    await started({ key: present, previous_key: former })

    expect(await sequence(it.ctx)).toMatchObject({ sequenced: 1 })
    expectWholeChain(it, ids)
  })

  test('ends what the one before that attested', async () => {
    await recordMany(it.ctx, 1)
    await started({ key: present, previous_key: 'm'.repeat(44) })

    expect(await sequence(it.ctx)).toMatchObject({ sequenced: TOLD })
  })
})

describe('an artifact that was never announced', () => {
  test('is shown as refused, whatever position it claims; one that waits and one that stands are not', async () => {
    const [standing = ''] = await recordMany(it.ctx, 1)
    await sequence(it.ctx)
    const [stray, claiming] = [forge(), insertStray(it, standing)]
    it.table.tamper(TABLE, pointerKey(SPACE, stray), () => undefined)
    it.clock.moveTo(it.clock.now() + 300_001)
    const [waiting = ''] = await recordMany(it.ctx, 1)
    const statusOf = async (id: string) => (await getArtifact(it.ctx, id)).chain_status

    expect(await Promise.all([standing, stray, claiming, waiting].map(statusOf))).toEqual([
      'sequenced',
      'refused',
      'refused',
      'pending',
    ])
  })

  test('still counts as waiting while a position may be late', async () => {
    const [id = ''] = await recordMany(it.ctx, 1)
    it.clock.moveTo(it.clock.now() + 3_600_000)

    expect((await getArtifact(it.ctx, id)).chain_status).toBe('pending')
  })
})
