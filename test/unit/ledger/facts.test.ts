import { beforeEach, describe, expect, test } from 'vitest'
import { sequence } from '../../../shared/ledger/evidence/chain/sequence.ts'
import { objectKey } from '../../../shared/ledger/evidence/checkpoint/checkpoint-store.ts'
import { checkpoint } from '../../../shared/ledger/evidence/sign/checkpoint.ts'
import { ledgerFacts } from '../../../shared/ledger/compliance-facts.ts'
import { iso } from '../../../shared/base/lib/clock.ts'
import { timeOfId } from '../../../shared/base/lib/ids.ts'
import { editAndRehash } from './evidence/tampering.ts'
import { foundedWorld, recordMany, SPACE, type World } from './evidence/world.ts'

let it: World
beforeEach(async () => {
  it = await foundedWorld()
})

const chain = () => ledgerFacts.chain({ ctx: it.ctx, now: it.clock.now(), since: 0 })
const hourLater = () => it.clock.moveTo(it.clock.now() + 3_600_000)

describe('facts about the chain', () => {
  test('of a new tenant say that there is nothing', async () => {
    expect(await chain()).toEqual({
      size: 0,
      broken: false,
      last_full: null,
      completeness: null,
      checkpoint: null,
      oldest_unsigned_at: null,
    })
  })

  test('say since when something has no signature, whether or not it has a position', async () => {
    const [first = ''] = await recordMany(it.ctx, 1)
    const unsigned = (id: string) => ({ oldest_unsigned_at: iso(timeOfId(id)) })
    expect(await chain()).toMatchObject({ size: 0, ...unsigned(first) })

    await sequence(it.ctx)
    hourLater()
    const [second = ''] = await recordMany(it.ctx, 1)
    expect(await chain()).toMatchObject({ size: 1, checkpoint: null, ...unsigned(first) })

    await checkpoint(it.ctx)
    expect(await chain()).toMatchObject({ checkpoint: { size: 1, opens: true }, ...unsigned(second) })
  })

  test('say that the newest checkpoint does not open once its object was changed or removed', async () => {
    await recordMany(it.ctx, 1)
    await sequence(it.ctx)
    hourLater()
    await checkpoint(it.ctx)
    const key = objectKey(SPACE, 1)
    const object = it.s3.objects.get(key) ?? ''

    it.s3.objects.set(key, object.replace('\\n1\\n', '\\n2\\n'))
    expect((await chain()).checkpoint).toMatchObject({ opens: false })

    it.s3.objects.delete(key)
    expect((await chain()).checkpoint).toMatchObject({ opens: false })
  })

  test('say that the checkpointer refused to sign', async () => {
    const [id = ''] = await recordMany(it.ctx, 2)
    await sequence(it.ctx)
    hourLater()
    editAndRehash(it, id)
    await checkpoint(it.ctx).catch(() => undefined)

    expect((await chain()).broken).toBe(true)
  })
})
