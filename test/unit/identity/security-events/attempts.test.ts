import { beforeEach, describe, expect, test } from 'vitest'
import {
  liftBlocks,
  LIFTS_MAX,
  mustNotBeBlocked,
  noteFailure,
} from '../../../../shared/identity/security-events/attempts.ts'
import { rememberSignIn } from '../../../../shared/identity/security-events/note-success.ts'
import { users } from '../../../../shared/identity/accounts/user.ts'
import { anna, CHROME, MINUTE, Service } from './service.ts'

const ip = '198.51.100.7'
const elsewhere = '203.0.113.9'
const KNOWN = 'anna@example.com'
const UNKNOWN = 'nobody@example.com'

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
})

const userOf = (email: string) => (email === KNOWN ? anna : undefined)
const fail = (email = KNOWN, from = ip) => noteFailure(it.ctx(), { email, ip: from, user: userOf(email) })

/** Each as soon as it may. */
async function failTimes(times: number, email = KNOWN, from = ip): Promise<void> {
  for (let i = 0; i < times; i += 1) {
    it.wait((await secondsLeft(email, from)) * 1_000)
    await fail(email, from)
  }
}

/** 0: may sign in now. */
async function secondsLeft(email = KNOWN, from = ip): Promise<number> {
  try {
    await mustNotBeBlocked(it.ctx(), { email, ip: from })
    return 0
  } catch (error) {
    expect(error).toMatchObject({
      kind: 'rate_limited',
      detail: expect.stringMatching(/^Too many attempts have failed\. Try again in /),
    })
    return (error as { options: { retryAfterSeconds: number } }).options.retryAfterSeconds
  }
}

describe.each([KNOWN, UNKNOWN])('failures of %s', (email) => {
  test('make nobody wait before the fifth, and then twice as long after each', async () => {
    const waits: number[] = []
    for (let failures = 1; failures < 10; failures += 1) {
      await fail(email)
      const wait = await secondsLeft(email)
      waits.push(wait)
      it.wait(wait * 1_000 - 1)
      if (wait > 0) expect(await secondsLeft(email)).toBe(1)
      it.wait(1)
      expect(await secondsLeft(email)).toBe(0)
    }

    expect(waits).toEqual([0, 0, 0, 0, 1, 2, 4, 8, 16])
  })

  test('block for 30 minutes from the tenth, from everywhere', async () => {
    await failTimes(9, email)
    expect(await secondsLeft(email, elsewhere)).toBe(16)
    it.wait(16_000)

    await fail(email)

    expect([await secondsLeft(email), await secondsLeft(email, elsewhere)]).toEqual([1_800, 1_800])
    it.wait(30 * MINUTE - 1)
    expect(await secondsLeft(email)).toBe(1)
    it.wait(1)
    expect(await secondsLeft(email)).toBe(0)
  })

  test('count for 15 minutes, wherever a window of the counter begins', async () => {
    it.wait(10 * MINUTE)
    await fail(email)
    it.wait(MINUTE)
    for (const _ of [2, 3, 4]) await fail(email)
    it.wait(14 * MINUTE - 1)
    await fail(email)
    expect(await secondsLeft(email)).toBe(1)

    it.wait(1_000)
    await fail(email)

    expect(await secondsLeft(email)).toBe(1) // five again: the first one is forgotten
  })

  test('of any spelling of the address count together', async () => {
    for (const spelling of [email, email.toUpperCase(), email, email, email]) await fail(spelling)

    expect(await secondsLeft(email)).toBe(1)
  })

  test('that happen at once are all counted', async () => {
    await Promise.all(Array.from({ length: 10 }, () => fail(email)))

    expect(await secondsLeft(email)).toBe(1_800)
  })
})

describe('what failures leave behind', () => {
  test('an event, evidence, an alert and a mail when it must wait, and again when it is blocked', async () => {
    await failTimes(10)

    expect(
      it.found().map(({ type, severity, action_taken, user_id }) => [type, severity, action_taken, user_id]),
    ).toEqual([
      ['brute_force', 'medium', 'delayed', anna.id],
      ['brute_force', 'high', 'blocked', anna.id],
    ])
    expect(it.events()).toEqual(['evidence.emitted', 'alert.firing', 'evidence.emitted', 'alert.firing'])
    expect(it.mails()).toMatchObject(
      ['delayed', 'blocked'].map((action_taken) => ({
        kind: 'security_alert',
        tenant_id: 'ten_1',
        to: { roles: ['owner', 'admin'] },
        facts: { type: 'brute_force', action_taken, ip },
      })),
    )
    expect((await it.user())?.locked_until).toBe('2026-11-20T23:00:31.000Z')
  })

  test('of an address without an account: an event that belongs to no tenant', async () => {
    await failTimes(10, UNKNOWN)

    expect(it.found()).toMatchObject([
      { tenant_id: 'platform', user_id: null, action_taken: 'delayed' },
      { tenant_id: 'platform', user_id: null, action_taken: 'blocked' },
    ])
    expect([it.events(), it.mails()]).toEqual([[], []])
  })

  test('no trace of the address itself', async () => {
    await failTimes(10, UNKNOWN)

    expect(JSON.stringify(it.table.stream)).not.toContain(UNKNOWN)
  })

  test('the same calls, whether or not there is an account', async () => {
    for (let failures = 0; failures < 11; failures += 1) {
      const calls = (email: string) =>
        it.callsOf(async () => {
          await mustNotBeBlocked(it.ctx(), { email, ip }).catch(() => undefined)
          await fail(email)
        })
      const known = await calls(KNOWN)
      expect(await calls(UNKNOWN)).toEqual(known)
      it.wait(1_000 * 2 ** Math.max(0, failures - 4))
    }
  })
})

describe('an account that is blocked', () => {
  test('spares the networks from which it signed in within 30 days; there it only waits', async () => {
    await rememberSignIn(it.ctx(), { user: anna, ip: '203.0.113.200', user_agent: CHROME, country: null })
    it.wait(30 * 1_440 * MINUTE - MINUTE)
    await failTimes(10)

    expect(await secondsLeft(KNOWN, elsewhere)).toBe(32)
    it.wait(2 * MINUTE)
    expect(await secondsLeft(KNOWN, elsewhere)).toBe(1_680)
  })

  test('is let in when an administrator lifts the block', async () => {
    await failTimes(10)

    await it
      .ctx()
      .table.commit([...(await liftBlocks(it.ctx(), anna)), users.update(anna, { set: { locked_until: null } })])

    expect(await secondsLeft()).toBe(0)
    await failTimes(4)
    expect(await secondsLeft()).toBe(0)
  })

  test('is lifted five times a day and no more', async () => {
    for (let lift = 0; lift < LIFTS_MAX; lift += 1) await liftBlocks(it.ctx(), anna)

    await expect(liftBlocks(it.ctx(), anna)).rejects.toMatchObject({ kind: 'conflict' })
    it.wait(1_440 * MINUTE)
    expect(await liftBlocks(it.ctx(), anna)).not.toEqual([])
  })
})

describe('different accounts failing from one source', () => {
  const failing = async (count: number, from: (index: number) => string) => {
    for (let index = 0; index < count; index += 1) await fail(`person-${index}@example.com`, from(index))
  }

  test('block the address for an hour from the twentieth', async () => {
    await failing(19, () => ip)
    expect(await secondsLeft('other@example.com')).toBe(0)

    await fail('person-20@example.com')

    expect(await secondsLeft('other@example.com')).toBe(3_600)
    expect(await secondsLeft('other@example.com', '198.51.100.8')).toBe(0)
    it.wait(60 * MINUTE)
    expect(await secondsLeft('other@example.com')).toBe(0)
  })

  test.each([
    ['IPv4 /24', (index: number) => `198.51.100.${index}`, '198.51.100.250', '198.51.101.1'],
    ['IPv6 /48', (index: number) => `2001:db8:7:${index}::1`, '2001:db8:7:ffff::9', '2001:db8:8::1'],
  ])('block its whole %s when they come from all over it', async (_, from, inside, outside) => {
    await failing(20, from)

    expect(await secondsLeft('other@example.com', inside)).toBe(3_600)
    expect(await secondsLeft('other@example.com', outside)).toBe(0)
  })

  test('are counted once each', async () => {
    await failing(19, () => ip)
    await fail('person-3@example.com')

    expect(await secondsLeft('other@example.com')).toBe(0)
  })

  test('are forgotten after ten minutes', async () => {
    await failing(19, () => ip)
    it.wait(10 * MINUTE)
    await fail('person-20@example.com')

    expect(await secondsLeft('other@example.com')).toBe(0)
  })
})
