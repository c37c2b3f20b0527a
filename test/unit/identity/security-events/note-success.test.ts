import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, test } from 'vitest'
import { noteFailure } from '../../../../shared/identity/security-events/attempts.ts'
import { arrivalAfter, noteSuccess, rememberSignIn } from '../../../../shared/identity/security-events/note-success.ts'
import { anna, CHROME, MINUTE, Service } from './service.ts'

const DAY = 1_440 * MINUTE
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const COUNTRIES = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

/** Addresses of operators that have long been where they are. */
const GERMANY = '193.99.144.80'
const NETHERLANDS = '91.198.174.192'
const BRAZIL = '200.160.2.3'
const NOWHERE = '127.0.0.1'

let it: Service
beforeEach(async () => {
  it = new Service()
  await it.start()
  process.env.COUNTRIES_FILE = fileURLToPath(import.meta.resolve(COUNTRIES))
})

const signIn = (ip = GERMANY, user_agent = CHROME, user = anna) => noteSuccess(it.ctx(), { user, ip, user_agent })

describe('a sign-in', () => {
  test('that is the first one is like any other', async () => {
    expect(await signIn()).toEqual({ score: 0, country: 'DE', demand_second_factor: false })
    expect(it.found()).toEqual([])
  })

  test.each([
    [1, 10],
    [5, 50],
    [6, 50],
  ])('after %i failures scores %i', async (failures, score) => {
    for (let i = 0; i < failures; i += 1) await noteFailure(it.ctx(), { email: 'anna@example.com', ip: GERMANY })

    expect(await signIn()).toMatchObject({ score })
  })

  test('with another kind of client scores 20 and is reported to the account', async () => {
    await signIn()

    expect(await signIn(GERMANY, FIREFOX)).toMatchObject({ score: 20, demand_second_factor: false })
    expect(it.found()).toMatchObject([{ type: 'new_device', severity: 'low', user_id: anna.id, country: 'DE' }])
    expect(it.mails()).toMatchObject([
      {
        kind: 'new_sign_in',
        to: { user_id: anna.id },
        facts: { device: 'Firefox on Linux', ip: GERMANY, country: 'DE' },
      },
    ])
    expect(await signIn(GERMANY, FIREFOX)).toMatchObject({ score: 0 })
  })

  test('from another country scores 40, once', async () => {
    await signIn()
    it.wait(DAY)

    expect(await signIn(BRAZIL)).toMatchObject({ score: 40, country: 'BR', demand_second_factor: false })
    expect(it.found().map(({ type }) => type)).toEqual(['new_country'])
    it.wait(DAY)
    expect(await signIn(BRAZIL)).toMatchObject({ score: 0 })
  })

  test('with what was not seen for 90 days is new again, on that very instant', async () => {
    await signIn(GERMANY, FIREFOX)
    it.wait(80 * DAY)
    await signIn()

    it.wait(10 * DAY - 1)
    expect(
      await noteSuccess(it.ctx(), { user: anna, ip: GERMANY, user_agent: FIREFOX, complete: false }),
    ).toMatchObject({
      score: 0,
    })
    it.wait(1)
    expect(await signIn(GERMANY, FIREFOX)).toMatchObject({ score: 20 })
  })

  test('from an address that is in no country is compared by its device only', async () => {
    await signIn()
    it.wait(1)

    expect(await signIn(NOWHERE)).toEqual({ score: 0, country: null, demand_second_factor: false })
  })

  test('without the file of countries is compared by its device only', async () => {
    await signIn()
    process.env.COUNTRIES_FILE = '/nowhere/countries.mmdb'
    delete process.env.COUNTRIES_FILE

    expect(await signIn(BRAZIL)).toEqual({ score: 0, country: null, demand_second_factor: false })
  })
})

describe('a way that nobody can have travelled', () => {
  /** ms from Germany to Brazil. */
  const way = arrivalAfter({ country: 'DE', at: 0 }, 'BR') ?? 0

  test('demands a second factor and is reported to administrators', async () => {
    await signIn()
    it.wait(way - 1)

    expect(await signIn(BRAZIL)).toEqual({ score: 80, country: 'BR', demand_second_factor: true })
    expect(it.found()).toContainEqual(
      expect.objectContaining({
        type: 'impossible_travel',
        severity: 'high',
        action_taken: 'second_factor_demanded',
        country: 'BR',
      }),
    )
    expect(it.mails()).toContainEqual(
      expect.objectContaining({ kind: 'security_alert', to: { roles: ['owner', 'admin'] } }),
    )
  })

  test('is possible when the time for it has passed', async () => {
    await signIn()
    it.wait(way)

    expect(await signIn(BRAZIL)).toMatchObject({ score: 40, demand_second_factor: false })
  })

  test('leads beyond neighbours', async () => {
    await signIn()
    it.wait(1)

    expect(await signIn(NETHERLANDS)).toMatchObject({ score: 40, demand_second_factor: false })
  })

  test('is refused until it is possible where the tenant wants that, and changes nothing', async () => {
    it = new Service()
    await it.start({ block_impossible_travel: true })
    process.env.COUNTRIES_FILE = fileURLToPath(import.meta.resolve(COUNTRIES))
    await signIn()
    it.wait(way - 60 * MINUTE)

    const refused = await signIn(BRAZIL).catch((error: unknown) => error)

    expect(refused).toMatchObject({ kind: 'rate_limited' })
    expect(it.found().at(-1)).toMatchObject({ type: 'impossible_travel', action_taken: 'blocked' })
    const { retryAfterSeconds } = (refused as { options: { retryAfterSeconds: number } }).options
    expect(retryAfterSeconds).toBe(3_600)
    expect(await signIn()).toMatchObject({ score: 0 })
    it.wait(retryAfterSeconds * 1_000)
    expect(await signIn(GERMANY)).toMatchObject({ score: 0 })
  })
})

describe('a person with a second factor', () => {
  const enrolled = { ...anna, mfa_enrolled: true }

  test('has not signed in before it was shown: the thief of a password becomes nobody’s habit', async () => {
    await signIn()
    it.wait(DAY)
    await signIn(BRAZIL, CHROME, enrolled)

    expect(await signIn(BRAZIL, CHROME, enrolled)).toMatchObject({ score: 40 })
    expect(it.found().map(({ type }) => type)).toEqual(['new_country']) // told once a day
  })

  test('has signed in once it was', async () => {
    await signIn()
    it.wait(DAY)
    await rememberSignIn(it.ctx(), { user: enrolled, ip: BRAZIL, user_agent: CHROME, country: 'BR' })
    it.wait(1)

    expect(await signIn(BRAZIL, CHROME, enrolled)).toMatchObject({ score: 0 })
  })
})
