// The templates as their readers use them: filled in, saved, and then met by an agent.
import { beforeAll, describe, expect, test } from 'vitest'
import { security } from '../../../functions/security/routes.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
const ACTIONS = ['get_contact', 'update_contact', 'refund_order', 'pay_invoice', 'send_email', 'deploy_service']
const GROUP = 'role:approver'

/** A tenant with one policy, made of a template. */
async function withTemplate(template_id: string, parameters: object, node: object = {}): Promise<Governed> {
  const acme = await governed(
    local,
    ACTIONS.map((action_id) => ({ action_id })),
    { node },
  )
  bodyOf(await post(acme, { template: { template_id, parameters } }), 201)
  return acme
}

const post = (acme: Governed, body: object) =>
  acme.call(security.savePolicy, { params: { tenant_id: acme.tenant_id }, body })

/** Ids of policies that did not pass, by the receipt or, where there is none, by the refusal. */
const asks = async (acme: Governed, action_id: string, payload: object = {}) => {
  const { status, body } = await acme.execute(action_id, { payload })
  const fired = (body.receipt?.policy_evaluations ?? []).filter(
    ({ policy_id, result }: { policy_id: string; result: string }) => policy_id.startsWith('pol_') && result !== 'pass',
  )
  return { status, fired: fired.length > 0 }
}

const HELD = { status: 202, fired: true }
const REFUSED = { status: 403 }

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

  test('two_groups: somebody of each approves', async () => {
    const acme = await withTemplate('two_groups', {
      amount: 100,
      currency: 'EUR',
      group_a: GROUP,
      group_b: 'role:owner',
    })
    const { approval } = await acme.held('pay_invoice', { payload: { amount: 101, currency: 'EUR' } })

    expect((await acme.approval(approval.id)).stages).toMatchObject([{ groups: [GROUP, 'role:owner'], mode: 'each' }])
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

  test('pii_outside: refuses personal data only where somebody outside receives it', async () => {
    const acme = await withTemplate('pii_outside', {})
    await acme.change({ domains: ['acme.example'] })
    const mail = (to: string, text: string) => ({ to, text })

    expect(await asks(acme, 'send_email', mail('bob@other.example', 'IBAN DE89370400440532013000'))).toMatchObject(
      REFUSED,
    )
    expect((await asks(acme, 'send_email', mail('bob@acme.example', 'IBAN DE89370400440532013000'))).status).toBe(202)
  })

  test('country_block: refuses what comes from nowhere that is known', async () => {
    const acme = await withTemplate('country_block', { countries: ['kp'] })

    expect(await asks(acme, 'get_contact')).toMatchObject(REFUSED) // a loopback address has no country
  })

  test('production_change: asks in production, and where nobody says what it is', async () => {
    const production = await withTemplate('production_change', { group: GROUP }, { environment: 'production' })
    const staging = await withTemplate('production_change', { group: GROUP }, { environment: 'staging' })

    expect(await asks(production, 'update_contact')).toEqual(HELD)
    expect((await asks(production, 'get_contact')).status).toBe(200)
    expect((await asks(staging, 'update_contact')).fired).toBe(false)
  })

  test('new_agent: asks for whoever has not acted yet', async () => {
    const acme = await withTemplate('new_agent', {})

    expect(await asks(acme, 'update_contact')).toEqual(HELD)
    expect((await asks(acme, 'get_contact')).status).toBe(200)
  })

  test('undo_or_ask: asks where nothing can be undone', async () => {
    const acme = await withTemplate('undo_or_ask', { node_ids: ['crm.**'] })

    expect((await asks(acme, 'update_contact')).status).toBe(202)
  })

  test('temporary_stop: refuses until its time has come', async () => {
    const until = new Date(local.clock.now() + 3_600_000).toISOString()
    const acme = await withTemplate('temporary_stop', { node_ids: ['crm.**'], until })

    expect(await asks(acme, 'get_contact')).toMatchObject(REFUSED)
    local.clock.moveTo(local.clock.now() + 3_600_000)
    expect((await asks(acme, 'get_contact')).status).toBe(200)
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

  test('200: are twelve, listed with their parameters', async () => {
    const items = await list()

    expect(items).toHaveLength(12)
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
