import {
  TransactionCanceledException,
  TransactionConflictException,
  type TransactWriteItem,
  type TransactWriteItemsCommandInput,
} from '@aws-sdk/client-dynamodb'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import type { AnyClient } from '../../../shared/base/aws/clients.ts'
import { tallies, tallyKey } from '../../../shared/base/limits/tally.ts'
import { nameOf } from '../../../shared/base/table/entity.ts'
import { keyHash } from '../../../shared/govern/limits/counters.ts'
import { counterItems, FIRST_SHARD } from '../../../shared/govern/limits/item.ts'
import { bucketAt, noteContended } from '../../../shared/govern/limits/window.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

type Next = (args: { input: object }) => Promise<object>
type Stack = { add: (middleware: (next: Next, context: { commandName?: string }) => Next, options: object) => void }

/** What happens around the commands that count. */
let around: ((command: string, run: () => Promise<object>, input: object) => Promise<object>) | undefined
const meddling = (client: AnyClient, service: string) => {
  if (service !== 'dynamodb') return
  const middleware =
    (next: Next, { commandName = '' }: { commandName?: string }): Next =>
    async (args) =>
      around && JSON.stringify(args.input).includes('#LIMIT#')
        ? around(commandName, () => next(args), args.input)
        : next(args)
  const applyToStack = (stack: Stack) => stack.add(middleware, { step: 'initialize', name: 'meddling' })
  client.middlewareStack.use({ applyToStack })
}

const local = useLocalStack({ plugins: [meddling] })
const HOUR = 3_600_000
let tenant: Governed
/** The limit on which this process has met others, and one that it believes to know. */
let [hot, cold] = ['', '']

const limit = (name: string, max: number, more: object = {}) => ({
  name,
  effect: 'forbid',
  limit: { measure: 'count', max, window: '1h' },
  ...more,
})
const keyOf = (name: string) => counterItems.key({ ...tenant.ctx.space, name, hash: keyHash([]), shard: FIRST_SHARD })
const others = (policy_id: string, add: Record<string, number>, set: Record<string, number> = {}) =>
  tenant.ctx.table.update(keyOf(policy_id), { add: { _v: 1, ...add }, set })
const used = async (policy_id: string) => {
  const params = { tenant_id: tenant.tenant_id, policy_id }
  return bodyOf(await tenant.call(security.policyUsage, { params }), 200).used
}
const lost = async () => {
  const found = await tenant.ctx.table.query(tallies, { pk: tallyKey(tenant.ctx.space) })
  return found.reduce((sum, { ll = 0 }) => sum + Number(ll), 0)
}

async function limits(more: object = {}): Promise<void> {
  hot = (await tenant.policy(limit('Hot', 9))).policy_id
  cold = (await tenant.policy(limit('Cold', 2, more))).policy_id
  noteContended(tenant.ctx, nameOf(keyOf(hot)))
}

beforeEach(async () => {
  tenant = await governed(local)
})
afterEach(() => {
  around = undefined
})

describe('a share that was reserved', () => {
  test('is counted once when the action runs', async () => {
    await limits()
    const singles: string[] = []
    around = (command, run) => (singles.push(command), run())
    await tenant.execute('get_contact')

    expect(singles).toContain('UpdateItemCommand')
    expect([await used(hot), await used(cold)]).toEqual([1, 1])
  })

  test.each([
    ['refuses', {}, 403],
    ['asks for approval', { effect: 'require_approval', approval: { stages: [{ groups: ['any'] }] } }, 202],
  ])('is given back where another limit is found to be full and %s', async (_, more, status) => {
    await limits(more)
    await tenant.execute('get_contact')
    await others(cold, { t: 1 })

    expect((await tenant.execute('get_contact')).status).toBe(status)
    expect([await used(hot), await used(cold)]).toEqual([1, 2])
    expect(await lost()).toBe(0)
  })

  test('is given back where an equal request answers that waits already', async () => {
    await tenant.change({ answer_repeats: true })
    const counts = { limit: { measure: 'count', max: 9, window: '1h', counts: 'requests' } }
    hot = (await tenant.policy(limit('Hot', 9, counts))).policy_id
    noteContended(tenant.ctx, nameOf(keyOf(hot)))
    await tenant.held()

    expect(await tenant.held()).toMatchObject({ repeated: true })
    expect(await used(hot)).toBe(1)
  })

  test('stays counted where others do not let it be given back, which is told', async () => {
    await limits()
    await tenant.execute('get_contact')
    await others(cold, { t: 1 })
    around = async (command, run) => {
      const back = around
      around = undefined
      if (command === 'GetItemCommand') {
        const answer = await run()
        await others(hot, {})
        around = back
        return answer
      }
      around = back
      return run()
    }

    expect((await tenant.execute('get_contact')).status).toBe(403)
    around = undefined
    expect([await used(hot), await lost()]).toEqual([2, 1])
  })

  test('stays counted where nobody knows whether the action was stored', async () => {
    await limits()
    around = async (command, run) => {
      const answer = await run()
      if (command === 'TransactWriteItemsCommand')
        throw Object.assign(new Error('the answer is lost'), { name: 'TimeoutError' })
      return answer
    }

    expect((await tenant.execute('get_contact')).status).toBe(503)
    expect([await used(hot), await used(cold)]).toEqual([1, 1])
  })

  test('of an approved action is given back when it is decided on again, and counted once when it runs', async () => {
    await limits()
    const { approval } = await tenant.held()
    await others(cold, { t: 1, e: 1 }, { [`m${bucketAt(HOUR, local.clock.now()).toString(36)}`]: 0 })

    expect((await tenant.approve(approval.id)).status).toBe(200)
    expect([await used(hot), await used(cold)]).toEqual([1, 2])
  })

  test('of an approved action is given back when another limit turns out to be full', async () => {
    await limits()
    const { approval } = await tenant.held()
    await others(cold, { t: 2 }, { [`m${bucketAt(HOUR, local.clock.now()).toString(36)}`]: 0 })

    expect((await tenant.approve(approval.id)).status).toBe(409)
    expect([await used(hot), await used(cold)]).toEqual([0, 2])
  })
})

describe('503: too many at once', () => {
  const refused = { status: 503, headers: { 'retry-after': '1' }, body: { code: 'busy' } }

  test('when a counter has changed at each of three decisions', async () => {
    await limits()
    await tenant.execute('get_contact')
    around = async (command, run) => {
      if (command === 'TransactWriteItemsCommand') {
        const back = around
        around = undefined
        await others(cold, { e: 1 })
        around = back
      }
      return run()
    }

    expect(await tenant.execute('get_contact')).toMatchObject(refused)
    around = undefined
    expect([await used(hot), await used(cold)]).toEqual([1, 1])
  })

  test('when others write the counter whenever this process would, alone or in its transaction', async () => {
    const { policy_id } = await tenant.policy(limit('Only one', 9))
    let collided = 0
    around = (command, run, input) => {
      const said = { message: 'x', $metadata: {} }
      if (command === 'UpdateItemCommand') throw new TransactionConflictException(said)
      if (command !== 'TransactWriteItemsCommand') return run()
      collided += 1
      const { TransactItems = [] } = input as TransactWriteItemsCommandInput // of this command
      const isCounter = ({ Update }: TransactWriteItem) => Update?.Key?.pk?.S?.includes('#LIMIT#')
      const CancellationReasons = TransactItems.map((item) => ({
        Code: isCounter(item) ? 'TransactionConflict' : 'None',
      }))
      throw new TransactionCanceledException({ ...said, CancellationReasons })
    }

    expect(await tenant.execute('get_contact')).toMatchObject(refused)
    around = undefined
    expect([collided, await used(policy_id)]).toEqual([1, 0])
  })
})
