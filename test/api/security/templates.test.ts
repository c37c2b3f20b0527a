// The templates as their readers use them: filled in, saved, and then met by an agent, once with what they are for and once with
// what they let pass.
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { security } from '../../../functions/security/routes.ts'
import { bodyOf, executeFor, type Governed, governed, manifestOf, requestOf } from '../../support/governed.ts'
import { makeKey } from '../../support/keys.ts'
import { signIn } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const ACTIONS = [
  'get_contact',
  'update_contact',
  'refund_order',
  'pay_invoice',
  'send_email',
  'deploy_service',
  'get_secret',
].map((action_id) => ({ action_id }))
const UNDOABLE = { action_id: 'rename_contact', undo_action_id: 'update_contact' }
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const GROUP = 'role:approver'
const COUNTRIES = '@ip-location-db/geo-whois-asn-country-mmdb/geo-whois-asn-country.mmdb'

/** A tenant with one policy, made of a template. */
async function withTemplate(template_id: string, parameters: object, node: object = {}): Promise<Governed> {
  const acme = await governed(local, [...ACTIONS, UNDOABLE], { node })
  bodyOf(await post(acme, { template: { template_id, parameters } }), 201)
  return acme
}

const post = (acme: Governed, body: object) =>
  acme.call(security.savePolicy, { params: { tenant_id: acme.tenant_id }, body })

/** Ids of policies that did not pass, by the receipt or, where there is none, by the refusal. */
const asks = async (acme: Governed, action_id: string, payload: object = {}, key?: string) => {
  const { status, body } = await acme.execute(action_id, { payload }, { key })
  const fired = (body.receipt?.policy_evaluations ?? []).filter(
    ({ policy_id, result }: { policy_id: string; result: string }) => policy_id.startsWith('pol_') && result !== 'pass',
  )
  return { status, fired: fired.length > 0 }
}

const HELD = { status: 202, fired: true }
/** It would wait anyway, because of its kind. */
const UNTOUCHED = { status: 202, fired: false }
const REFUSED = { status: 403 }

/** Lets people approve an action, which runs then. */
async function run(acme: Governed, action_id: string, payload: object = {}): Promise<void> {
  const { approval } = await acme.held(action_id, { payload })
  bodyOf(await acme.approve(approval.id), 200)
}

describe('a template', () => {
  test('amount_approval: asks above the amount, in other currencies and without an amount', async () => {
    const acme = await withTemplate('amount_approval', {
      amount: 100,
      currency: 'EUR',
      group: GROUP,
      action_ids: ['*refund*'],
    })

    expect(await asks(acme, 'refund_order', { amount: 101, currency: 'EUR' })).toEqual(HELD)
    expect(await asks(acme, 'refund_order', { amount: 1, currency: 'JPY' })).toEqual(HELD)
    expect((await asks(acme, 'refund_order', { amount: 100, currency: 'EUR' })).fired).toBe(false)
    expect((await asks(acme, 'pay_invoice', { amount: 500, currency: 'EUR' })).fired).toBe(false)
  })

  test('repeated_payment: asks two people about a payment that repeats one of the last hour', async () => {
    const acme = await withTemplate('repeated_payment', { group: GROUP })
    const refund = (charge: string) => asks(acme, 'refund_order', { charge, amount: 40, currency: 'EUR' })

    expect(await refund('ch_1')).toEqual(UNTOUCHED)
    expect(await refund('ch_1')).toEqual(HELD)
    expect(await refund('ch_2')).toEqual(UNTOUCHED)
    await local.advance(HOUR + MINUTE)
    expect(await refund('ch_1')).toEqual(UNTOUCHED)
  })

  test('two_groups: somebody of each approves', async () => {
    const acme = await withTemplate('two_groups', {
      amount: 100,
      currency: 'EUR',
      group_a: GROUP,
      group_b: 'role:owner',
    })
    const { approval } = await acme.held('pay_invoice', { payload: { amount: 101, currency: 'EUR' } })

    expect((await acme.approval(approval.id)).stages).toMatchObject([{ groups: [GROUP, 'role:owner'], mode: 'each' }])
    const { access_token: key } = await signIn(local, acme.approver)
    expect(bodyOf(await acme.approve(approval.id, {}, { key }), 200)).toMatchObject({ status: 'pending' })
    expect(await asks(acme, 'pay_invoice', { amount: 100, currency: 'EUR' })).toEqual(UNTOUCHED)
  })

  test('working_hours: refuses outside of them', async () => {
    const [, day] = [0, new Date(local.clock.now()).getUTCDay() || 7]
    const hours = { zone: 'UTC', from: '00:00', to: '24:00' }
    const inside = await withTemplate('working_hours', { ...hours, days: [day, (day % 7) + 1] })
    const outside = await withTemplate('working_hours', { ...hours, days: [((day + 2) % 7) + 1] })

    expect((await asks(inside, 'deploy_service')).fired).toBe(false)
    expect(await asks(outside, 'deploy_service')).toMatchObject(REFUSED)
    expect((await asks(outside, 'get_contact')).status).toBe(200)
  })

  test('working_hours: refuses on the dates of the calendars', async () => {
    const acme = await governed(local, ACTIONS)
    const dates = [new Date(local.clock.now()), new Date(local.clock.now() + 24 * HOUR)].map((at) =>
      at.toISOString().slice(0, 10),
    )
    const params = { tenant_id: acme.tenant_id, name: 'holidays' }
    bodyOf(await acme.call(security.saveCalendar, { params, body: { dates } }), 201)
    const days = [1, 2, 3, 4, 5, 6, 7]
    const parameters = { zone: 'UTC', from: '00:00', to: '24:00', days, calendar: ['holidays'], kinds: ['update'] }
    bodyOf(await post(acme, { template: { template_id: 'working_hours', parameters } }), 201)

    expect(await asks(acme, 'update_contact')).toMatchObject(REFUSED)
    expect(await asks(acme, 'deploy_service')).toEqual(UNTOUCHED)
  })

  test('pii_outside: refuses personal data only where somebody outside receives it', async () => {
    const acme = await withTemplate('pii_outside', {})
    await acme.change({ domains: ['acme.example'] })
    const mail = (to: string, text: string) => ({ to, text })

    expect(await asks(acme, 'send_email', mail('bob@other.example', 'IBAN DE89370400440532013000'))).toMatchObject(
      REFUSED,
    )
    expect(await asks(acme, 'send_email', mail('+49301234567', 'IBAN DE89370400440532013000'))).toMatchObject(REFUSED)
    expect(await asks(acme, 'send_email', mail('bob@acme.example', 'IBAN DE89370400440532013000'))).toEqual(UNTOUCHED)
    expect(await asks(acme, 'send_email', mail('bob@other.example', 'Hello'))).toEqual(UNTOUCHED)
  })

  test('country_block: refuses what comes from there, or from nowhere that is known', async () => {
    process.env.COUNTRIES_FILE = fileURLToPath(import.meta.resolve(COUNTRIES))
    const acme = await withTemplate('country_block', { countries: ['br'] })
    const from = async (ip: string) => {
      const ctx = requestOf(acme, acme.owner.id)
      return (await executeFor({ ...ctx, request: { ...ctx.request, ip } }, 'get_contact')).execution.status
    }

    expect(await from('200.160.2.3')).toBe('rejected')
    expect(await from('193.99.144.80')).toBe('executed')
    expect(await asks(acme, 'get_contact')).toMatchObject(REFUSED) // a loopback address has no country
  })

  test('production_change: asks in production, and where nobody says what it is', async () => {
    const production = await withTemplate('production_change', { group: GROUP }, { environment: 'production' })
    const staging = await withTemplate('production_change', { group: GROUP }, { environment: 'production' })
    const key = (await signIn(local, staging.owner)).access_token
    const body = manifestOf(ACTIONS, { version: '1.1.0', environment: 'staging' })
    bodyOf(await staging.call(protocol.registerManifest, { key, body }), 201)

    expect(await asks(production, 'update_contact')).toEqual(HELD)
    expect((await asks(production, 'get_contact')).status).toBe(200)
    expect((await asks(staging, 'update_contact')).fired).toBe(false)
  })

  test('new_agent: asks for whoever has not acted for so long', async () => {
    const acme = await withTemplate('new_agent', { hours: 2 })

    expect(await asks(acme, 'update_contact')).toEqual(HELD)
    expect((await asks(acme, 'get_contact')).status).toBe(200)
    await local.drain()
    local.clock.moveTo(local.clock.now() + 2 * HOUR + MINUTE)
    expect(await asks(acme, 'update_contact')).toEqual({ status: 200, fired: false })
    expect(await asks(acme, 'update_contact', {}, await makeKey(acme))).toEqual(HELD)
  })

  test('undo_or_ask: asks where nothing can be undone', async () => {
    const acme = await withTemplate('undo_or_ask', { node_ids: ['crm.**'] })

    expect(await asks(acme, 'update_contact')).toEqual(HELD)
    expect((await asks(acme, 'rename_contact')).status).toBe(200)
    expect((await asks(acme, 'get_contact')).status).toBe(200)
  })

  test('temporary_stop: refuses until its time has come', async () => {
    const until = new Date(local.clock.now() + 3_600_000).toISOString()
    const acme = await withTemplate('temporary_stop', { node_ids: ['crm.**'], until })

    expect(await asks(acme, 'get_contact')).toMatchObject(REFUSED)
    local.clock.moveTo(local.clock.now() + 3_600_000)
    expect((await asks(acme, 'get_contact')).status).toBe(200)
  })
})

describe('a template that goes by what was done before', () => {
  test('mails_per_hour: refuses the agent that has sent so many, until the window has passed', async () => {
    const acme = await withTemplate('mails_per_hour', { max: 2 })
    const other = await makeKey(acme)
    await run(acme, 'send_email')
    await run(acme, 'send_email')

    const refused = await acme.execute('send_email')
    expect(refused).toMatchObject({ status: 403, body: { code: 'policy_rejected' } })
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000)
    expect((await asks(acme, 'get_contact')).status).toBe(200)
    expect(await asks(acme, 'send_email', {}, other)).toEqual(UNTOUCHED)
    local.clock.moveTo(local.clock.now() + HOUR + 2 * MINUTE)
    expect(await asks(acme, 'send_email')).toEqual(UNTOUCHED)
  })

  test('spend_per_day: asks its group once the sum would be exceeded', async () => {
    const acme = await withTemplate('spend_per_day', { max: 100, currency: 'EUR', group: GROUP })
    const pay = (amount: number, currency = 'EUR') => asks(acme, 'pay_invoice', { amount, currency })
    await run(acme, 'pay_invoice', { amount: 60, currency: 'EUR' })

    expect(await pay(40)).toEqual(UNTOUCHED)
    expect(await pay(40.01)).toEqual(HELD)
    expect(await pay(1, 'USD')).toEqual(HELD)
    const { approval } = await acme.held('pay_invoice', { payload: { amount: 41, currency: 'EUR' } })
    expect((await acme.approval(approval.id)).stages).toMatchObject([{ groups: [GROUP] }])
    local.clock.moveTo(local.clock.now() + 25 * HOUR)
    expect(await pay(100)).toEqual(UNTOUCHED)
  })

  test('secret_then_out: asks for a while after a secret was read, and only that agent', async () => {
    const acme = await withTemplate('secret_then_out', { within: '5m' })
    const other = await makeKey(acme)
    expect(await asks(acme, 'send_email')).toEqual(UNTOUCHED)
    await run(acme, 'get_secret')

    expect(await asks(acme, 'send_email')).toEqual(HELD)
    expect((await asks(acme, 'get_contact')).status).toBe(200)
    expect(await asks(acme, 'send_email', {}, other)).toEqual(UNTOUCHED)
    local.clock.moveTo(local.clock.now() + 6 * MINUTE)
    expect(await asks(acme, 'send_email')).toEqual(UNTOUCHED)
  })
})

describe('templates', () => {
  let acme: Governed
  beforeAll(async () => {
    acme = await governed(local)
  })
  const list = async () =>
    bodyOf(await acme.call(security.listTemplates, { params: { tenant_id: acme.tenant_id } }), 200).items

  test('201: a sequence is made of its template', async () => {
    expect(bodyOf(await post(acme, { template: { template_id: 'secret_then_out' } }), 201)).toMatchObject({
      after: { kinds: ['secret_read'], within: '10m', per: 'agent' },
    })
  })

  test('200: are thirteen, listed with their parameters', async () => {
    const items = await list()

    expect(items).toHaveLength(13)
    expect(items[0]).toMatchObject({
      template_id: 'amount_approval',
      parameters: [{ name: 'amount', type: 'number' }, {}, {}, {}],
    })
    for (const { parameters, policy } of items) {
      const used = new Set([...JSON.stringify(policy).matchAll(/"\{\{(\w+)\}\}"/g)].map(([, name]) => name))
      expect(used).toEqual(new Set(parameters.map(({ name }: { name: string }) => name)))
    }
  })

  test('201: limits are made of their templates, in shadow mode and under a name where these are given', async () => {
    const mails = bodyOf(
      await post(acme, { name: 'Mails', mode: 'shadow', template: { template_id: 'mails_per_hour' } }),
      201,
    )
    expect(mails).toMatchObject({
      name: 'Mails',
      mode: 'shadow',
      limit: { measure: 'count', max: 20, window: '1h', per: ['agent'] },
    })
    const parameters = { max: 5_000, currency: 'EUR', group: GROUP, window: '7d', per: ['person'] }
    expect(bodyOf(await post(acme, { template: { template_id: 'spend_per_day', parameters } }), 201)).toMatchObject({
      name: 'Spending has a limit',
      limit: { measure: 'sum', max: 5_000, window: '7d', per: ['person'], currency: 'EUR' },
    })
  })

  test.each<[object, string, string]>([
    [{ template_id: 'mails_per_hours' }, 'template_id', 'is no template; did you mean mails_per_hour?'],
    [
      { template_id: 'new_agent', parameters: { hour: 5 } },
      'hour',
      'is no parameter of the template; did you mean hours?',
    ],
    [{ template_id: 'new_agent', parameters: { hours: '5' } }, 'hours', 'must be a number'],
    [{ template_id: 'country_block' }, 'countries', 'is required: a list of texts'],
  ])('422: %j', async (template, member, msg) => {
    const { status, body } = await post(acme, { template })

    expect(status).toBe(422)
    expect(body.detail).toMatchObject([{ msg }])
    expect(body.detail[0].loc.at(-1)).toBe(member)
  })

  test('422: a value that makes no policy', async () => {
    const parameters = { max: 5, currency: 'EUR', group: 'nobody' }

    expect(await post(acme, { template: { template_id: 'spend_per_day', parameters } })).toMatchObject({
      status: 422,
      body: {
        detail: [
          { loc: ['body', 'template', 'parameters'], msg: expect.stringContaining('approval.stages.0.groups.0') },
        ],
      },
    })
  })
})
