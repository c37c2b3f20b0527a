import { describe, expect, test } from 'vitest'
import { training } from '../../../functions/training/routes.ts'
import { personaVersions } from '../../../shared/govern/learned/persona.ts'
import { changePersona, PersonaBody } from '../../../shared/learn/personas/change-persona.ts'
import { bodyOf, type Governed, governed } from '../../support/governed.ts'
import { personIn } from '../../support/person.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()

const SUPPORT = {
  display_name: 'Support',
  system_prompt: 'You help.',
  tier_ceiling: 'SOFT',
  default_require_approval: true,
  denied_nodes: ['billing.**'],
}

const put = ({ call }: Governed, body: object, persona_key = 'support') =>
  call(training.updatePersona, { params: { persona_key }, body })

describe('personas', () => {
  test('are five before anybody changes one', async () => {
    const tenant = await governed(local)

    const { items } = bodyOf(await tenant.call(training.listPersonas), 200)

    const keys = items.map((one: { persona_key: string; version: number }) => [one.persona_key, one.version])
    expect(keys).toEqual(['default', 'cautious', 'analyst', 'support', 'operator'].map((key) => [key, 1]))
  })

  test('that nobody has are not found', async () => {
    const tenant = await governed(local)

    expect(await put(tenant, SUPPORT, 'intern')).toMatchObject({ status: 404 })
    expect(await tenant.call(training.getPersona, { params: { persona_key: 'A#B' } })).toMatchObject({ status: 404 })
  })

  test('are replaced, keep each version, and refuse a stale change', async () => {
    const tenant = await governed(local)

    expect(bodyOf(await put(tenant, SUPPORT), 200)).toMatchObject({ version: 2, default_require_approval: true })
    expect(bodyOf(await put(tenant, { ...SUPPORT, tone: 'warm', version: 2 }), 200)).toMatchObject({ version: 3 })

    expect(await put(tenant, { ...SUPPORT, version: 2 })).toMatchObject({ status: 409 })
    const of = { ...tenant.ctx.space, persona_key: 'support' }
    expect(await tenant.ctx.table.get(personaVersions, { ...of, version: 2 })).toMatchObject({ tone: 'neutral' })
    expect(await tenant.ctx.table.get(personaVersions, { ...of, version: 3 })).toMatchObject({ tone: 'warm' })
  })

  test.each([
    ['tier_ceiling', { tier_ceiling: 'HARD' }],
    ['default_require_approval', { default_require_approval: false }],
    ['denied_nodes', { denied_nodes: [] }],
    ['allowed_nodes', { allowed_nodes: ['crm.**'] }],
    ['model_slot', { model_slot: 'empty' }],
  ])('are loosened in %s by a person in person alone', async (field, change) => {
    const tenant = await governed(local)
    bodyOf(await put(tenant, SUPPORT), 200)
    const body = { ...SUPPORT, ...change }

    const refused = await put(tenant, body)
    expect(refused).toMatchObject({ status: 403, body: { detail: expect.stringContaining(field) } })

    const stale = changePersona(personIn(tenant.ctx.space), 'support', PersonaBody.parse(body))
    await expect(stale).rejects.toMatchObject({ options: { code: 'enrolment_required' } })
    const person = personIn(tenant.ctx.space, ['owner'], { mfa_at: local.clock.now() })
    expect(await changePersona(person, 'support', PersonaBody.parse(body))).toMatchObject(change)
  })

  test('that are switched off are refused, also for what was held before', async () => {
    const tenant = await governed(local)
    const context = { policy_context: { persona_key: 'operator' } }
    const { approval, receipt } = await tenant.held('delete_contact', context)
    const off = { display_name: 'Off', system_prompt: 'x', enabled: false }
    bodyOf(await put(tenant, off, 'operator'), 200)

    expect(await tenant.execute('get_contact', context)).toMatchObject({ status: 422 })
    expect(await tenant.approve(approval.id)).toMatchObject({ status: 409 })
    expect(await tenant.look(receipt.request_id)).toMatchObject({ status: 'rejected' })
    expect(await put(tenant, { ...off, enabled: true }, 'operator')).toMatchObject({ status: 403 })
  })
})
