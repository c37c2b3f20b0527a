import { beforeEach, expect, test } from 'vitest'
import { handler as signCheckpoint } from '../../../../functions/workers/sign-checkpoint.ts'
import { sequence } from '../../../../shared/ledger/evidence/chain/sequence.ts'
import type { Export } from '../../../../shared/assure/exports/export.ts'
import { askForCheckpoint, packStage } from '../../../../shared/assure/exports/pack/stage.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { foundedWorld, recordMany, SPACE, type World } from '../../ledger/evidence/world.ts'

let it: World
let item: Export
beforeEach(async () => {
  it = await foundedWorld()
  const [id = ''] = await recordMany(it.ctx, 1)
  item = {
    ...SPACE,
    id: 'exp_1',
    status: 'processing',
    ask: { type: 'evidence', include_payloads: false },
    requested_by: { type: 'user', id: 'usr_1' },
    requested_at: iso(it.clock.now()),
    artifact: { id, hash: '' },
    attempt: 0,
  }
})

const bodies = (queue: string) =>
  it.sqs.messages.filter((one) => one.queue.endsWith(queue)).map(({ body }) => JSON.parse(body) as object)

test('a pack waits until the request is signed, which the checkpointer does at once and tells', async () => {
  await recordMany(it.ctx, 1)
  await sequence(it.ctx)
  await signCheckpoint({ Records: [{ messageId: 'm0', body: JSON.stringify(SPACE) }] })
  const [id = ''] = await recordMany(it.ctx, 1)
  item.artifact.id = id // less than a minute after the last checkpoint
  expect(await packStage(it.ctx, item)).toBe('waits')

  await askForCheckpoint(it.ctx, item.id, false)
  const [body] = bodies('checkpoints')
  expect(body).toEqual({ ...SPACE, export: 'exp_1' })
  await signCheckpoint({ Records: [{ messageId: 'm1', body: JSON.stringify(body) }] })

  expect(bodies('exports')).toEqual([{ ...SPACE, id: 'exp_1', asked: true }])
  expect(await packStage(it.ctx, item)).toBe('announce')
})

test('a pack is sealed when what names its hash is signed', async () => {
  const pack = { from: 0, to: 1, include_payloads: false, at: it.clock.now(), manifest_sha256: '' }
  const [artifact_id = ''] = await recordMany(it.ctx, 1)
  const announced: Export = { ...item, pack: { ...pack, artifact_id } }

  expect(await packStage(it.ctx, announced)).toBe('waits')
  await signCheckpoint({ Records: [{ messageId: 'm1', body: JSON.stringify({ ...SPACE, export: 'exp_1' }) }] })
  expect(await packStage(it.ctx, announced)).toBe('seal')
})

test('a chain that is not signed for ten minutes is exported as it is', async () => {
  it.kms.down = true
  it.clock.moveTo(Date.parse(item.requested_at) + 600_000)

  expect(await packStage(it.ctx, item)).toBe('unsealed')
})

test('the checkpointer is not asked again for what it has just looked at', async () => {
  await askForCheckpoint(it.ctx, item.id, true)

  expect(bodies('checkpoints')).toEqual([])
})
