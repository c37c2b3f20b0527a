import { beforeEach, describe, expect, test } from 'vitest'
import { handler as sequenceEvidence } from '../../../../../functions/workers/sequence-evidence.ts'
import { handler as signCheckpoint } from '../../../../../functions/workers/sign-checkpoint.ts'
import { advanceChain, advanceChains } from '../../../../../shared/ledger/evidence/chain/advance-chain.ts'
import { expectWholeChain } from '../chain-state.ts'
import { foundedWorld, recordMany, SPACE, type World } from '../world.ts'

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

describe('the minute sweeper', () => {
  test('finds the artifacts of a busy chain whose doorbell was lost', async () => {
    const ids = await recordMany(it.ctx, 1)
    await advanceChain(it.ctx)
    ids.push(...(await recordMany(it.ctx, 2)))
    await advanceChains(it.ctx.table, it.ctx.clock)

    expectWholeChain(it, ids)
  })

  test('finds those of a silent chain within the hour', async () => {
    const ids = await recordMany(it.ctx, 2)
    for (let minute = 0; minute < 60; minute += 1) {
      await advanceChains(it.ctx.table, it.ctx.clock)
      it.clock.moveTo(it.clock.now() + 60_000)
    }

    expectWholeChain(it, ids)
  })

  test('goes on with other chains when one fails', async () => {
    const ids = await recordMany(it.ctx, 1)
    await advanceChain(it.ctx)
    ids.push(...(await recordMany(it.ctx, 1)))
    it.table.hooks.before = ({ name, input }) => {
      if (name === 'GetItem' && JSON.stringify(input).includes('#test#')) throw new Error('down')
    }
    for (let minute = 0; minute < 60; minute += 1) {
      await advanceChains(it.ctx.table, it.ctx.clock)
      it.clock.moveTo(it.clock.now() + 60_000)
    }

    expectWholeChain(it, ids)
  })
})
