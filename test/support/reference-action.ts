// The action that budgets and benchmarks measure: a payload of 200 bytes, five policies in force.
import { protocol } from '../../functions/protocol/routes.ts'
import { security } from '../../functions/security/routes.ts'
import type { LocalStack, TestTenant, Wanted } from './local-stack.ts'

export const NODE_ID = 'crm.contacts.editor'
export const ACTIONS = { AUTO: 'get_contact', SOFT: 'update_contact', HARD: 'delete_contact' } as const

export const PAYLOAD = { contact: 'con_01JD3Q8Z5N7V2W9X4Y6T1S0RPM', note: 'x'.repeat(139) }

const manifest = {
  protocol_version: '1.0',
  node: {
    id: NODE_ID,
    name: 'Contacts',
    version: '1.4.2',
    owner: 'crm-team',
    category: 'crm',
    endpoints: Object.values(ACTIONS).map((action_id) => ({ action_id, description: '' })),
  },
}

const policies = ['amounts', 'weekends', 'agents', 'bulk', 'nights'].map((name) => ({
  name,
  effect: 'forbid',
  when: {
    all: [
      { field: 'action.kind', op: 'eq', value: 'payment' },
      { field: 'request.hour_utc', op: 'gt', value: 22 },
    ],
  },
  message: name,
}))

/** A tenant that is ready to execute the reference action. */
export async function referenceTenant(local: LocalStack, wanted?: Wanted): Promise<TestTenant> {
  const tenant = await local.tenant(wanted)
  const { tenant_id } = tenant
  const replies = [await tenant.call(protocol.registerManifest, { body: { manifest } })]
  for (const [index, policy] of policies.entries()) {
    const when = { all: [...policy.when.all, { field: 'action.risk', op: 'gt', value: index }] }
    replies.push(await tenant.call(security.savePolicy, { params: { tenant_id }, body: { ...policy, when } }))
  }
  const failed = replies.find(({ status }) => status !== 201)
  if (failed) throw new Error(`the reference tenant could not be made: ${JSON.stringify(failed.body)}`)
  return tenant
}

export const executeBody = (tier: keyof typeof ACTIONS) => ({
  node_id: NODE_ID,
  action_id: ACTIONS[tier],
  payload: PAYLOAD,
})
