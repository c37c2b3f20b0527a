// A tenant with a registered node, and what its agents, approvers and administrators do there.
import { approvals } from '../../functions/approvals/routes.ts'
import { protocol } from '../../functions/protocol/routes.ts'
import { security } from '../../functions/security/routes.ts'
import { permissionsOfRoles } from '../../shared/base/catalog/permissions.ts'
import { type Context, createContext, type Mode, type Principal, systemContext } from '../../shared/base/context.ts'
import { decideOn } from '../../shared/govern/protocol/decide.ts'
import { loadInputs } from '../../shared/govern/executions/inputs.ts'
import { ExecuteBody } from '../../shared/govern/executions/request.ts'
import { type Submitted } from '../../shared/govern/executions/submission.ts'
import { submit } from '../../shared/govern/protocol/submit.ts'
import type { Envelope } from '../../shared/ledger/events/event.ts'
import { eventAt, logHead } from '../../shared/ledger/events/log.ts'
import type { GovernanceSettings } from '../../shared/govern/governance/settings.ts'
import { governanceWrites } from '../../shared/govern/tenants/governance-settings.ts'
import { changed } from '../../shared/ledger/audit/changed.ts'
import { PolicyBody } from '../../shared/govern/governance/policy.ts'
import { savePolicy } from '../../shared/govern/policies/save.ts'
import { policyView } from '../../shared/govern/policies/view.ts'
import { isWaiting } from '../../shared/govern/protocol/loosen.ts'
import type { Reply } from './call.ts'
import { personIn } from './person.ts'
import type { LocalStack, TestTenant, Wanted } from './local-stack.ts'

/** What a request may say besides what it is about. */
type With = { key?: string | undefined; headers?: Record<string, string> }
type Endpoint = { action_id: string } & Record<string, unknown>

export const NODE_ID = 'crm.contacts.editor'
/** One action of each tier, by the words of their names. */
export const BROKERED: Endpoint[] = ['get_contact', 'update_contact', 'delete_contact'].map((action_id) => ({
  action_id,
}))

export const manifestOf = (endpoints: readonly Endpoint[], node: object = {}) => ({
  manifest: {
    protocol_version: '1.0',
    node: { id: NODE_ID, name: 'Contacts', version: '1.0.0', endpoints, ...node },
  },
})

export type Governed = TestTenant & {
  ctx: Context
  /** Registers a version of the node. */
  register: (endpoints: readonly Endpoint[], node?: object, registry?: object) => Promise<Reply>
  /** `body` adds to or replaces members of the request. */
  execute: (action_id: string, body?: object, by?: With) => Promise<Reply>
  /** Executes what must end up held, and answers its body. */
  held: (action_id?: string, body?: object, by?: With) => Promise<Reply['body']>
  approve: (id: string, body?: object, by?: With) => Promise<Reply>
  reject: (id: string, body?: object, by?: With) => Promise<Reply>
  undo: (request_id: string, by?: With) => Promise<Reply>
  /** The execution as it stands. */
  look: (request_id: string) => Promise<Reply['body']>
  /** The approval as it stands. */
  approval: (id: string) => Promise<Reply['body']>
  /** Creates a policy, or changes the one whose id and version are given. */
  policy: (body: object) => Promise<Reply['body']>
  change: (settings: Partial<GovernanceSettings>) => Promise<void>
  /** The events that are told while something happens, evidence.emitted included. */
  told: (happening: () => Promise<unknown>) => Promise<Envelope[]>
}

/** Throws when the answer has another status: what a test only prepares must not fail unseen. */
export function bodyOf(reply: Reply, ...expected: number[]): Reply['body'] {
  if (expected.includes(reply.status)) return reply.body
  throw new Error(`answered ${reply.status}: ${JSON.stringify(reply.body)}`)
}

/** In test mode everything is done with the sandbox key, approving too: there `allow_self_approval` must be set. */
export async function governed(
  local: LocalStack,
  endpoints: readonly Endpoint[] = BROKERED,
  { mode = 'live', node = {}, ...wanted }: { mode?: Mode; node?: object } & Wanted = {},
): Promise<Governed> {
  const tenant = await local.tenant(wanted)
  const { tenant_id, test_key, live_key, approver_key } = tenant
  const [own, deciding] = mode === 'test' ? [test_key, test_key] : [live_key, approver_key]
  const { call } = tenant.as({ key: own })
  const ctx = systemContext({ tenant_id, mode })
  const register: Governed['register'] = (actions, more = {}, registry = {}) =>
    call(protocol.registerManifest, { body: { ...manifestOf(actions, { ...node, ...more }), registry } })
  const execute: Governed['execute'] = (action_id, body = {}, by = {}) =>
    call(protocol.execute, { ...by, body: { node_id: NODE_ID, action_id, payload: { contact: 'con_1' }, ...body } })
  const look: Governed['look'] = async (request_id) =>
    bodyOf(await call(protocol.getExecution, { params: { request_id } }), 200)
  bodyOf(await register(endpoints), 201)
  return {
    ...tenant,
    ctx,
    call,
    register,
    execute,
    held: async (action_id = 'delete_contact', body, by) => bodyOf(await execute(action_id, body, by), 202),
    approve: (id, body = {}, by = {}) => call(approvals.approve, { key: deciding, ...by, params: { id }, body }),
    reject: (id, body = {}, by = {}) => call(approvals.reject, { key: deciding, ...by, params: { id }, body }),
    undo: (request_id, by = {}) => call(protocol.undo, { ...by, params: { request_id }, body: {} }),
    look,
    approval: async (id) => bodyOf(await call(approvals.get, { params: { id } }), 200),
    policy: async (body) =>
      mayLoosen(body)
        ? savedInPerson(ctx, body)
        : bodyOf(await call(security.savePolicy, { params: { tenant_id }, body }), 200, 201),
    change: (settings) => changeSettings(ctx, settings),
    told: (happening) => eventsDuring(local, ctx, happening),
  }
}

/** The request of a signed-in person, who has no credential that a test could send. */
export const requestOf = (
  { ctx }: Governed,
  id: string,
  roles: readonly string[] = ['owner'],
  over: Partial<Principal> = {},
): Context =>
  createContext({
    space: ctx.space,
    principal: {
      kind: 'user',
      credential: 'session',
      id,
      persons: [id],
      roles,
      permissions: permissionsOfRoles(roles),
      ...over,
    },
    request: { ...ctx.request, at: ctx.now() },
  })

/** Executes as execute does, for such a request. */
export async function executeFor(ctx: Context, action_id: string): Promise<Submitted> {
  const body = ExecuteBody.parse({ node_id: NODE_ID, action_id, payload: {} })
  return submit(ctx, await decideOn(ctx, await loadInputs(ctx.table, ctx.space, { body }), body))
}

/** Whether a key may only ask for it. */
const mayLoosen = (body: { policy_id?: string; effect?: string; approval?: object }): boolean =>
  body.policy_id !== undefined ||
  body.effect === 'relax_to' ||
  ['grant', 'escalate_to'].some((member) => member in (body.approval ?? {}))

/** As an owner saves it who has just shown a second factor. */
async function savedInPerson({ space }: Context, body: object): Promise<Reply['body']> {
  const owner = personIn(space, ['owner'], { mfa_at: systemContext(space).now() })
  const saved = await savePolicy(owner, PolicyBody.parse(body))
  if (isWaiting(saved)) throw new Error('nobody is asked in person')
  return { ...policyView(saved.stored), warnings: saved.warnings }
}

/** Settings as their route would store them. */
async function changeSettings({ space }: Context, change: Partial<GovernanceSettings>): Promise<void> {
  const ctx = systemContext({ ...space, mode: 'live' })
  const artifact_id = ctx.id('art')
  const { writes, policy_sets = {} } = await governanceWrites(ctx, change, artifact_id)
  const facts = { artifact: 'identity.tenant.updated', artifact_id, data: { policy_sets } } as const
  const subject = { type: 'tenant', id: space.tenant_id }
  await ctx.table.commit([...writes, ...changed(ctx, [{ ...facts, action: 'tenant.updated', subject }])])
}

async function eventsDuring(local: LocalStack, ctx: Context, happening: () => Promise<unknown>): Promise<Envelope[]> {
  await local.drain()
  const before = await logHead(ctx)
  await happening()
  await local.drain()
  const after = await logHead(ctx)
  const positions = Array.from({ length: after.position - before.position }, (_, i) => before.position + 1 + i)
  return (await Promise.all(positions.map((position) => eventAt(ctx, position)))).filter((event) => event !== undefined)
}
