import { beforeEach, describe, expect, test } from 'vitest'
import { handler as sweepWorker } from '../../../../../functions/workers/sweep.ts'
import { systemContext } from '../../../../../shared/base/context.ts'
import { checkpoint } from '../../../../../shared/ledger/evidence/sign/checkpoint.ts'
import { checkpointKey } from '../../../../../shared/ledger/evidence/chain/chain.ts'
import { objectKey } from '../../../../../shared/ledger/evidence/checkpoint/checkpoint-store.ts'
import { continueFullPass } from '../../../../../shared/govern/completeness/full-pass.ts'
import { enqueueFullPass } from '../../../../../shared/ledger/evidence/verify/enqueue-full-pass.ts'
import { segmentsTo, startFullPass } from '../../../../../shared/ledger/evidence/verify/full-pass.ts'
import { verifySegment } from '../../../../../shared/ledger/evidence/verify/segment.ts'
import { sequence } from '../../../../../shared/ledger/evidence/chain/sequence.ts'
import { resumeFullPass, takeTurn } from '../../../../../shared/ledger/evidence/verify/leases.ts'
import { type Part, VerificationMessage } from '../../../../../shared/ledger/evidence/verify/verify-queue.ts'
import { readState } from '../../../../../shared/ledger/evidence/verify/verify-state.ts'
import { verifyChain } from '../../../../../shared/ledger/evidence/verify/verify.ts'
import { Tenant, tenants } from '../../../../../shared/base/tenant/tenant.ts'
import { iso } from '../../../../../shared/base/lib/clock.ts'
import { toAttributes } from '../../../../../shared/base/table/entity.ts'
import { editAndRehash, editHeader, insertStray, remove, removeBlock, rewriteFrom, strip } from '../tampering.ts'
import { foundedWorld, newestEvents, recordMany, setBack, SPACE, TABLE, type World } from '../world.ts'

let it: World
let ids: string[]

/** Blocks 1 to 3 with four artifacts each; checkpoints at 4, 8 and 12, one more block behind them. */
beforeEach(async () => {
  it = await foundedWorld()
  ids = []
  const tenant = { id: SPACE.tenant_id, name: 'Acme', plan: 'team' as const, status: 'active' as const }
  await it.ctx.table.commit([tenants.insert(Tenant.parse({ ...tenant, created_at: iso(it.clock.now()) }))])
  for (let block = 0; block < 4; block += 1) {
    ids.push(...(await recordMany(it.ctx, 4)))
    await sequence(it.ctx)
    it.clock.moveTo(it.clock.now() + 60_000)
    if (block < 3) await checkpoint(it.ctx)
  }
  it.sqs.messages.length = 0
})

const id = (index: number) => ids[index] ?? ''
const waiting = () => it.sqs.messages.filter(({ queue }) => queue.endsWith('verifications'))
const messageOf = ({ body }: { body: string }) => VerificationMessage.parse(JSON.parse(body))

/** Works off the queue, the newest message first. */
async function workOff(): Promise<void> {
  for (let message = waiting().at(-1); message; message = waiting().at(-1)) {
    it.sqs.messages.splice(it.sqs.messages.indexOf(message), 1)
    await continueFullPass(messageOf(message))
  }
}

describe('a full pass', () => {
  test('goes up to the newest checkpoint, and its result is what the next verification shows', async () => {
    const job = await startFullPass(it.ctx, 'api')
    expect(job).toMatchObject({
      plan: { size: 12 },
      open: [{ part: { from: 0, to: 12 } }, { part: { kind: 'completeness' } }],
    })
    expect(await verifyChain(it.ctx, 'api')).toMatchObject({ verification: { job_id: job.id } })
    await workOff()

    expect(await readState(it.ctx)).toMatchObject({
      last_full: { result: 'valid', broken: [] },
      completeness: { result: 'complete', missing: 0 },
      last_job: { id: job.id },
    })
    const { verification } = await verifyChain(it.ctx, 'api')
    expect(verification).toMatchObject({ completeness: { result: 'complete', missing: 0 } })
    expect(verification).not.toHaveProperty('job_id')
  })

  test('ends with a verification of its own that tells the result', async () => {
    await startFullPass(it.ctx, 'schedule')
    await workOff()

    expect(it.table.items(TABLE).filter((item) => item.header?.S?.includes('"trigger":"schedule"'))).toHaveLength(1)
    expect(newestEvents(it).find(({ type }) => type === 'evidence.chain.verified')?.data).toMatchObject({
      trigger: 'schedule',
      chain_valid: true,
      checkpoint_size: 12,
    })
  })

  test('is joined by whoever asks meanwhile, and begun anew when it was lost', async () => {
    const job = await startFullPass(it.ctx, 'api')
    expect((await startFullPass(it.ctx, 'schedule')).id).toBe(job.id)
    expect(waiting()).toHaveLength(2)

    it.clock.moveTo(it.clock.now() + 15 * 60_000)
    expect((await startFullPass(it.ctx, 'api')).id).not.toBe(job.id)
    expect(waiting()).toHaveLength(4)
  })

  test('comes to the same result when every message comes twice', async () => {
    await startFullPass(it.ctx, 'api')
    const messages = waiting().map(messageOf)
    await Promise.all(messages.map(continueFullPass))
    await Promise.all(messages.map(continueFullPass))

    expect(await readState(it.ctx)).toMatchObject({ last_full: { result: 'valid', broken: [] } })
    expect(await readState(it.ctx)).not.toHaveProperty('job')
  })

  test('of a chain without a checkpoint is about completeness only', async () => {
    it.ctx.space = { ...SPACE, mode: 'test' }
    await recordMany(it.ctx, 1)
    await sequence(it.ctx)

    expect((await startFullPass(it.ctx, 'api')).open).toMatchObject([{ part: { kind: 'completeness' } }])
  })

  test('that cannot be queued is not under way', async () => {
    process.env.QUEUE_BASE = ''
    await expect(startFullPass(it.ctx, 'api')).rejects.toThrow('QUEUE_BASE')
    process.env.QUEUE_BASE = 'https://sqs.example/'

    expect(await readState(it.ctx)).not.toHaveProperty('job')
  })

  test('keeps what it finds, whichever part finds it, and says so when it ends', async () => {
    editHeader(it, id(1))
    remove(it, id(6))
    await startFullPass(it.ctx, 'api')
    await workOff()

    const { last_full } = (await readState(it.ctx)) ?? {}
    expect(last_full?.broken).toEqual([
      { sequence: 1, artifact_id: id(1), reason: 'content' },
      { sequence: 6, artifact_id: id(6), reason: 'missing' },
    ])
    expect(newestEvents(it).map(({ type }) => type)).toContain('compliance.violation.detected')
  })
})

describe('a part whose function timed out', () => {
  const MINUTE = 60_000
  const wait = (ms: number) => it.clock.moveTo(it.clock.now() + ms)
  const partOf = (kind: string) =>
    waiting()
      .map(messageOf)
      .find(({ part }) => part?.kind === kind)
  const turnOf = ({ job_id = '', part, turn = 0 }: VerificationMessage) => ({ job_id, part: part as Part, turn })

  /** The function of that part begins, and that is the last that is heard of it. */
  async function timeOut(kind: 'segment' | 'completeness') {
    const message = partOf(kind) as VerificationMessage
    it.sqs.messages.splice(0)
    await takeTurn(it.ctx, turnOf(message))
    return message
  }

  test('is taken over within three minutes, and the pass ends', async () => {
    await startFullPass(it.ctx, 'api')
    const [segment] = waiting().map(messageOf)
    await timeOut('completeness')
    await continueFullPass(segment as VerificationMessage)
    wait(2 * MINUTE)
    await sweepWorker({})
    await workOff()

    expect(await readState(it.ctx)).toMatchObject({
      completeness: { result: 'complete' },
      last_full: { result: 'valid' },
    })
  })

  test('makes the answer say stale, with the date, and no longer once the pass has ended', async () => {
    await startFullPass(it.ctx, 'api')
    await workOff()
    const { checked_at } = (await verifyChain(it.ctx, 'api')).verification.completeness
    await startFullPass(it.ctx, 'api')
    const segment = partOf('segment') as VerificationMessage
    await timeOut('completeness')
    await continueFullPass(segment)
    wait(2 * MINUTE)

    const answer = (await verifyChain(it.ctx, 'api')).verification
    await resumeFullPass(it.ctx)
    await workOff()
    expect(answer.completeness).toMatchObject({ result: 'stale', checked_at })
    expect((await verifyChain(it.ctx, 'api')).verification.completeness.result).toBe('complete')
  })

  test('does nothing more when it goes on after all, nor when its message comes back', async () => {
    await startFullPass(it.ctx, 'api')
    const late = await timeOut('completeness')
    wait(2 * MINUTE)
    await resumeFullPass(it.ctx)
    const next = waiting().length
    await continueFullPass(late)

    expect(await takeTurn(it.ctx, turnOf(late))).toBeUndefined()
    expect(next).toBe(1)
    expect(await readState(it.ctx)).toMatchObject({ job: { open: [{}, { turn: 2 }] } })
  })

  test('again and again is given up, which the answer says until a pass ends', async () => {
    await startFullPass(it.ctx, 'api')
    await workOff()
    await startFullPass(it.ctx, 'api')
    for (let tries = 0; tries < 5; tries += 1) {
      await timeOut('completeness')
      wait(2 * MINUTE)
      await resumeFullPass(it.ctx)
    }

    expect(await readState(it.ctx)).not.toHaveProperty('job')
    expect((await verifyChain(it.ctx, 'api')).verification.completeness.result).toBe('stale')
    await startFullPass(it.ctx, 'api')
    await workOff()
    expect((await verifyChain(it.ctx, 'api')).verification.completeness.result).toBe('complete')
  })

  test('does not keep whoever asks from a pass of their own', async () => {
    const { id: stuck } = await startFullPass(it.ctx, 'schedule')
    await timeOut('completeness')
    wait(2 * MINUTE)

    expect((await startFullPass(it.ctx, 'api')).id).not.toBe(stuck)
  })

  test('is not waited for when the clock was set back meanwhile', async () => {
    const { id: stuck } = await startFullPass(it.ctx, 'schedule')
    await timeOut('completeness')
    setBack(it, 3_600_000)

    expect((await startFullPass(it.ctx, 'api')).id).not.toBe(stuck)
  })
})

test('an artifact that stands beside the chain, and waits for nothing, is counted', async () => {
  const stray = insertStray(it, id(0))
  strip(it, stray)
  it.clock.moveTo(it.clock.now() + 300_001)
  await startFullPass(it.ctx, 'api')
  await workOff()

  expect(await readState(it.ctx)).toMatchObject({ completeness: { result: 'gaps', unnamed: 1, examples: [stray] } })
})

test('a pass that is more than a day old no longer says that nothing is missing', async () => {
  await startFullPass(it.ctx, 'api')
  await workOff()
  it.clock.moveTo(it.clock.now() + 27 * 3_600_000)

  expect((await verifyChain(it.ctx, 'api')).verification.completeness.result).toBe('stale')
})

/** A sort key next to that of the artifact, and never its own. */
const besides = (of: string) => of.slice(4, -1) + (of.endsWith('Z') ? 'Y' : 'Z')

describe('a segment', () => {
  test('of an untouched chain has no findings, wherever its borders are', async () => {
    for (const [from, to] of [
      [0, 4],
      [4, 8],
      [8, 12],
      [0, 8],
      [4, 12],
      [0, 12],
    ] as const) {
      expect((await verifySegment(it.ctx, { from, to })).broken).toEqual([])
    }
  })

  test.each<[string, () => void, number[]]>([
    ['changed', () => void editHeader(it, id(5)), [5]],
    ['changed and hashed again', () => editAndRehash(it, id(7)), [7]],
    ['deleted', () => remove(it, id(4)), [4]],
    ['inserted', () => void insertStray(it, id(6), { sk: besides(id(5)) }), [6]],
    ['removed with its block', () => removeBlock(it, 2), [4, 5, 6, 7]],
  ])('finds what was %s in it, and nothing of its neighbours', async (_, tamper, sequences) => {
    tamper()
    const { broken: found } = await verifySegment(it.ctx, { from: 4, to: 8 })

    expect([...new Set(found.filter(({ reason }) => reason !== 'signature').map((one) => one.sequence))]).toEqual(
      sequences,
    )
    expect((await verifySegment(it.ctx, { from: 0, to: 4 })).broken).toEqual([])
  })

  test('finds a stray wherever its id is: one of the segments covers it', async () => {
    insertStray(it, id(0))

    const found = await Promise.all([4, 8, 12].map((to) => verifySegment(it.ctx, { from: to - 4, to })))
    const tail = await verifyChain(it.ctx, 'api')
    expect(found.flatMap(({ broken }) => broken).length + tail.broken_links).toBeGreaterThan(0)
  })

  test('that was rewritten with right hashes does not meet what was signed', async () => {
    rewriteFrom(it, 2)

    expect((await verifySegment(it.ctx, { from: 4, to: 8 })).broken).toContainEqual({
      sequence: 7,
      artifact_id: null,
      reason: 'signature',
    })
  })

  test.each([
    [4, 'start'],
    [8, 'end'],
  ])('with a checkpoint %i that does not hold at its %s is not signed', async (size) => {
    const object = it.s3.objects.get(objectKey(SPACE, size)) ?? ''
    it.s3.objects.set(objectKey(SPACE, size), object.replace('— ', '— x'))

    expect((await verifySegment(it.ctx, { from: 4, to: 8 })).broken).toEqual([
      { sequence: size - 1, artifact_id: null, reason: 'signature' },
    ])
  })

  test('checks the checkpoints of the table between its borders', async () => {
    it.table.tamper(TABLE, checkpointKey(SPACE, 8), (item) => ({
      ...item,
      ...toAttributes({ root: new Uint8Array(32) }),
    }))

    expect((await verifySegment(it.ctx, { from: 0, to: 12 })).broken).toEqual([
      { sequence: 7, artifact_id: null, reason: 'signature' },
    ])
  })
})

describe('the segments of a chain', () => {
  const signed = (sizes: number[]) => {
    for (const size of sizes) it.table.tamper(TABLE, checkpointKey(SPACE, size), (item) => ({ ...item }))
  }

  test('are at most 50,000 artifacts long and end at checkpoints', async () => {
    signed([20_000, 49_000, 50_012, 60_000, 98_000, 120_000])

    expect(await segmentsTo(it.ctx, 120_000)).toEqual([
      { from: 0, to: 49_000 },
      { from: 49_000, to: 98_000 },
      { from: 98_000, to: 120_000 },
    ])
  })

  test('are longer where the table knows no checkpoint in between', async () => {
    signed([90_000, 120_000])

    expect(await segmentsTo(it.ctx, 120_000)).toEqual([
      { from: 0, to: 12 },
      { from: 12, to: 90_000 },
      { from: 90_000, to: 120_000 },
    ])
    expect(await segmentsTo(it.ctx, 0)).toEqual([])
  })
})

test('a chain that holds anything is queued for a pass, an empty one is not', async () => {
  await enqueueFullPass(systemContext({ ...SPACE, mode: 'test' }))
  await enqueueFullPass(it.ctx)
  expect(waiting().map(messageOf)).toEqual([{ tenant_id: SPACE.tenant_id, mode: 'live' }])
  await workOff()

  expect(await readState(it.ctx)).toMatchObject({ last_full: { result: 'valid' }, last_job: { trigger: 'schedule' } })
})
