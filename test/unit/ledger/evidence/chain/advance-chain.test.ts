import { beforeEach, describe, expect, test } from 'vitest'
import { handler as sequenceEvidence } from '../../../../../functions/workers/sequence-evidence.ts'
import { handler as signCheckpoint } from '../../../../../functions/workers/sign-checkpoint.ts'
import { systemContext } from '../../../../../shared/base/context.ts'
import { coldStart } from '../../../../../shared/base/lib/memory.ts'
import { spaceOf } from '../../../../../shared/base/table/entity.ts'
import { sweepDue } from '../../../../../shared/base/table/sweep-due.ts'
import { advanceChain, signaturesDue } from '../../../../../shared/ledger/evidence/chain/advance-chain.ts'
import { advanceLate } from '../../../../../shared/ledger/evidence/chain/advance-late.ts'
import { enqueueFullPass } from '../../../../../shared/ledger/evidence/verify/enqueue-full-pass.ts'
import { expectWholeChain } from '../chain-state.ts'
import { foundedWorld, recordMany, SPACE, TABLE, type World } from '../world.ts'

const MINUTE = 60_000

let it: World
beforeEach(async () => {
  it = await foundedWorld()
})

const doorbells = () =>
  it.table.stream
    .filter(({ newImage }) => newImage?._type?.S === 'POINTER')
    .map(({ sequence, keys }) => ({ dynamodb: { SequenceNumber: String(sequence), Keys: keys } }))

const messages = () =>
  it.sqs.messages.map(({ body, delaySeconds }) => ({ ...JSON.parse(body), delaySeconds }) as object)

describe('the stream worker', () => {
  test('sequences each chain that has new artifacts and asks for a checkpoint', async () => {
    const ids = await recordMany(it.ctx, 3)

    expect(await sequenceEvidence({ Records: doorbells() })).toEqual({ batchItemFailures: [] })
    expectWholeChain(it, ids)
    expect(messages()).toEqual([{ ...SPACE, delaySeconds: 0 }])
  })

  test('hands records back when their chain could not be sequenced', async () => {
    await recordMany(it.ctx, 2)
    const Records = doorbells()
    it.table.hooks.before = () => {
      throw new Error('the table does not answer')
    }

    const first = Records[0]?.dynamodb.SequenceNumber
    expect(await sequenceEvidence({ Records })).toEqual({ batchItemFailures: [{ itemIdentifier: first }] })
  })

  test('ignores what is no pointer', async () => {
    const Records = [
      { dynamodb: { SequenceNumber: '1', Keys: { pk: { S: 'APIKEY#x' } } } },
      { dynamodb: { SequenceNumber: '2' } },
    ]

    expect(await sequenceEvidence({ Records })).toEqual({ batchItemFailures: [] })
  })
})

const record = (body: string) => ({ messageId: 'm1', body })

describe('the checkpoint worker', () => {
  test('signs the chain that a message names', async () => {
    await recordMany(it.ctx, 2)
    await advanceChain(it.ctx)

    expect(await signCheckpoint({ Records: it.sqs.messages.map(({ body }) => record(body)) })).toEqual({
      batchItemFailures: [],
    })
    expect(it.s3.objects.size).toBe(1)
  })

  test('hands a message back when signing failed', async () => {
    await recordMany(it.ctx, 2)
    await advanceChain(it.ctx)
    it.s3.down = true

    const Records = [record(JSON.stringify(SPACE)), record('no json')]
    expect(await signCheckpoint({ Records })).toMatchObject({ batchItemFailures: [{}, {}] })
  })
})

describe('the doorbell of the checkpointer', () => {
  test('rings at most once per chain and five seconds', async () => {
    await recordMany(it.ctx, 1)
    await advanceChain(it.ctx)
    await recordMany(it.ctx, 1)
    await advanceChain(it.ctx)
    expect(messages()).toHaveLength(1)

    it.clock.moveTo(it.clock.now() + 5_000)
    await advanceChain(it.ctx)
    expect(messages()).toHaveLength(2)
  })

  test('asks for the minute after the last signature', async () => {
    await recordMany(it.ctx, 1)
    await advanceChain(it.ctx)
    await signCheckpoint({ Records: [{ messageId: 'm1', body: JSON.stringify(SPACE) }] })
    it.clock.moveTo(it.clock.now() + 20_000)
    await recordMany(it.ctx, 1)
    await advanceChain(it.ctx)

    expect(messages().at(-1)).toMatchObject({ delaySeconds: 40 })
  })

  test('stays silent while everything is signed', async () => {
    await advanceChain(it.ctx)

    expect(messages()).toEqual([])
  })
})

describe('a chain whose signature is late', () => {
  const due = () => it.table.item(TABLE, signaturesDue.key(SPACE))?.due_at?.S
  const later = (ms: number) => it.clock.moveTo(it.clock.now() + ms)
  /** The sweeper as far as chains go. */
  const sweep = () =>
    sweepDue(it.ctx.table, async ({ pk, sk }) => {
      const space = spaceOf(pk)
      if (sk === 'SIGN' && space) await advanceLate(systemContext(space))
    })
  const signNow = () => signCheckpoint({ Records: [record(JSON.stringify(SPACE))] })

  test('is looked at two minutes after it was due, and then asks again', async () => {
    await recordMany(it.ctx, 1)
    await advanceChain(it.ctx)
    it.sqs.messages.length = 0 // lost
    later(MINUTE)
    await sweep()
    expect(messages()).toEqual([])

    later(MINUTE)
    await sweep()
    expect(messages()).toMatchObject([SPACE])
    expect(Date.parse(due() ?? '')).toBeGreaterThan(it.clock.now())
  })

  test('gets its artifacts that nobody sequenced', async () => {
    const ids = await recordMany(it.ctx, 1)
    await advanceChain(it.ctx)
    ids.push(...(await recordMany(it.ctx, 2)))
    later(2 * MINUTE)
    await sweep()

    expectWholeChain(it, ids)
  })

  test('is looked at no more once everything is signed, and not before while artifacts keep coming', async () => {
    for (let minute = 0; minute < 10; minute += 1) {
      await recordMany(it.ctx, 1)
      await advanceChain(it.ctx)
      await signNow()
      const before = it.table.calls.TransactWriteItems
      await sweep()
      expect(it.table.calls.TransactWriteItems).toBe(before)
      later(MINUTE)
    }
    later(2 * MINUTE)
    await sweep()

    expect(due()).toBeUndefined()
  })

  test('stays due when an artifact came while the sweeper looked', async () => {
    await recordMany(it.ctx, 1)
    await advanceChain(it.ctx)
    await signNow()
    later(2 * MINUTE)
    it.table.hooks.before = async ({ name, input }) => {
      if (name !== 'TransactWriteItems' || !JSON.stringify(input).includes('"Delete"')) return
      it.table.hooks.before = undefined
      coldStart() // another container
      await recordMany(it.ctx, 1)
      await advanceChain(it.ctx)
    }
    await sweep()

    expect(Date.parse(due() ?? '')).toBeGreaterThan(it.clock.now())
  })

  test('stays due when sequencing stopped before its end', async () => {
    await recordMany(it.ctx, 1)
    await advanceChain(it.ctx, it.clock.now())

    expect(due()).toBeDefined()
  })

  test('stays due when the sweeper dies', async () => {
    const ids = await recordMany(it.ctx, 1)
    await advanceChain(it.ctx)
    ids.push(...(await recordMany(it.ctx, 1)))
    later(2 * MINUTE)
    it.table.hooks.before = ({ name, input }) => {
      if (name === 'Query' && JSON.stringify(input).includes('#EVP#')) throw new Error('down')
    }
    await sweep()
    it.table.hooks.before = undefined
    later(MINUTE)
    await sweep()

    expectWholeChain(it, ids)
  })
})

describe('the daily verification', () => {
  test('finds the first artifact of a silent chain that nobody sequenced', async () => {
    await enqueueFullPass(it.ctx)
    expect(it.sqs.messages).toEqual([])

    await recordMany(it.ctx, 1)
    await enqueueFullPass(it.ctx)
    expect(messages()).toMatchObject([SPACE])
  })
})
