import { beforeEach, describe, expect, test } from 'vitest'
import type { ApiKey } from '../../../../shared/identity/access/api-key.ts'
import { sendExpiryNotices } from '../../../../shared/identity/access/expiry-notice.ts'
import { setRuntime, systemContext } from '../../../../shared/base/context.ts'
import { OutboxItem, unpackEvents } from '../../../../shared/ledger/events/outbox.ts'
import { iso } from '../../../../shared/base/lib/clock.ts'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { accountIn } from '../../../support/person.ts'
import { stillClock } from '../../../support/still-clock.ts'
import { type Deployment, deploy, TABLE } from '../../edge/deployment.ts'

const DAY = 86_400_000
const START = Date.UTC(2026, 10, 20, 22, 37)

let service: Deployment
let clock: ReturnType<typeof stillClock>
beforeEach(async () => {
  service = await deploy()
  clock = stillClock(START)
  setRuntime({ clock })
})

const sweep = () => sendExpiryNotices(systemContext(service.space).table)
const commits = () =>
  service.table
    .items(TABLE)
    .filter(({ _type }) => _type?.S === 'OUTBOX')
    .map((item) => OutboxItem.parse(unmarshall(item)))
const told = () =>
  commits()
    .flatMap(({ events }) => unpackEvents(events).events)
    .filter(({ type }) => type === 'api_key.expiring')
const mailed = () => commits().flatMap(({ mails = [] }) => mails.map(({ to }) => to))
const key = (over: Partial<ApiKey> = {}) => service.key({ expires_at: iso(START + 10 * DAY), ...over })

describe('a key that is about to expire', () => {
  test('is announced in the millisecond in which a day is left, and not before', async () => {
    await key()
    clock.moveTo(START + 9 * DAY - 1)
    await sweep()
    expect(told()).toEqual([])

    clock.moveTo(START + 9 * DAY)
    await sweep()
    expect(told()).toMatchObject([
      { data: { name: 'k', hint: expect.stringMatching(/^ak_live_/), created_by: 'usr_1' } },
    ])
  })

  test('is announced once, however often and by however many it is looked for', async () => {
    await key()
    clock.moveTo(START + 9 * DAY)
    await Promise.all([sweep(), sweep(), sweep()])
    await sweep()

    expect(told()).toHaveLength(1)
  })

  test('is announced late rather than never', async () => {
    await key()
    clock.moveTo(START + 10 * DAY - 60_000)
    await sweep()

    expect(told()).toHaveLength(1)
  })

  test('is announced to the owners, and to a creator who is none', async () => {
    await accountIn(service.space, ['developer'], { id: 'usr_2' })
    await key({ created_by: 'usr_2' })
    clock.moveTo(START + 9 * DAY)
    await sweep()
    expect(mailed()).toEqual([{ user_id: 'usr_2' }, { roles: ['owner'] }])
  })

  test('of an owner is announced in one mail', async () => {
    await key()
    clock.moveTo(START + 9 * DAY)
    await sweep()

    expect(mailed()).toEqual([{ roles: ['owner'] }])
  })
})

test.each([
  ['revoked', { revoked_at: iso(START) }],
  ['expired already', { expires_at: iso(START + 8 * DAY) }],
  ['made for a day', { created_at: iso(START + 9 * DAY), expires_at: iso(START + 10 * DAY) }],
])('a key that is %s is not announced', async (_, over) => {
  await key(over)
  clock.moveTo(START + 9 * DAY)
  await sweep()

  expect(told()).toEqual([])
})

test('a sweep without keys to announce reads no key', async () => {
  await key({ notice_sent_at: iso(START) })
  clock.moveTo(START + 9 * DAY)
  const before = service.table.calls.BatchGetItem ?? 0
  await sweep()

  expect(service.table.calls.BatchGetItem ?? 0).toBe(before)
})
