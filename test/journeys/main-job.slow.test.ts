// The main job from end to end, against processes that are no part of the service: an action is governed, approved, run,
// proven and announced, and the proof survives a restart.
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newSecret } from '../../shared/base/signing/signature.ts'
import { systemRandom } from '../../shared/base/lib/clock.ts'
import type { Report } from './actors/report.ts'
import { type Running, run } from './process.ts'
import { ask, type Credentials, type Service, signIn, startService } from './service.ts'

const base = mkdtempSync(join(tmpdir(), 'countersign-journey-'))
const data = join(base, 'data')
const notes = mkdtempSync(join(base, 'notes-'))
const actor = (name: string, ...args: string[]) =>
  run<Report>([new URL(`actors/${name}.ts`, import.meta.url).pathname, ...args], (text) => JSON.parse(text))

const manifest = (url: string) => ({
  manifest: {
    protocol_version: '1.0',
    node: {
      id: 'office.notes.keeper',
      name: 'Notes',
      version: '1.0.0',
      category: 'notes',
      endpoints: [
        { action_id: 'get_note', description: 'Read a note.', target: { type: 'http', url } },
        { action_id: 'get_index', description: 'Not there: fails.', target: { type: 'http', url } },
        {
          action_id: 'add_note',
          description: 'Write a note.',
          undo_action_id: 'remove_note',
          undo: { exact_inverse: true, id_from: '/written' },
          idempotency: true,
          target: { type: 'http', url },
        },
        { action_id: 'remove_note', description: 'Remove a note.', target: { type: 'http', url } },
        { action_id: 'refund_payment', description: 'Refund a payment.', target: { type: 'http', url } },
      ],
    },
  },
})

/** Pays back to whoever the incident concerns. A payment waits for a person, in a runbook as elsewhere. */
const runbook = {
  name: 'lost-notes',
  steps: [
    { title: 'Look at the node', instructions: 'Read its log.' },
    {
      title: 'Pay back',
      kind: 'action',
      node_id: 'office.notes.keeper',
      action_id: 'refund_payment',
      payload_template: { amount: 3, incident: '{{incident.id}}' },
    },
  ],
}

describe('the main job', () => {
  const running: Running<unknown>[] = []
  let service: Service
  let as: Credentials
  let node: Running<Report>
  let receiver: Running<Report>
  const isListening = (line: Report): line is Report & { kind: 'listening' } => line.kind === 'listening'
  const execute = (action_id: string, payload: object) =>
    ask('POST', `${as.api_url}/api/v1/protocol/execute`, as.live_key, {
      node_id: 'office.notes.keeper',
      action_id,
      payload,
    })
  const post = (path: string, body: object) => ask('POST', as.api_url + path, as.live_key, body)
  const get = async (path: string) => (await ask('GET', as.api_url + path, as.live_key)).body
  const verify = () => ask('GET', `${as.api_url}/api/evidence/verify`, as.live_key)

  beforeAll(async () => {
    const secret = newSecret(systemRandom)
    node = actor('node', notes)
    receiver = actor('receiver', secret)
    running.push(node, receiver)
    service = await startService(data)
    as = service.credentials
    const { url: hook } = await receiver.until(isListening)
    const { url: target } = await node.until(isListening)
    const endpoint = { name: 'Journey', url: hook, events: ['*'], secret }
    expect(await ask('POST', `${as.app_url}/api/webhooks`, as.live_key, endpoint)).toMatchObject({ status: 201 })
    const registered = await ask('POST', `${as.api_url}/api/v1/protocol/manifest`, as.live_key, manifest(target))
    expect(registered).toMatchObject({ status: 201, body: { status: 'registered' } })
    writeFileSync(join(notes, 'signing-secret'), registered.body.signing_secret)
  })
  afterAll(async () => {
    await Promise.all([service?.process, ...running].map((each) => each?.kill()))
    rmSync(base, { recursive: true })
  })

  test('a write runs at once and is undone within its window', async () => {
    const written = await execute('add_note', { name: 'plan', text: 'buy milk' })

    expect(written).toMatchObject({
      status: 200,
      body: {
        status: 'executed',
        receipt: { routing_decision: { tier: 'SOFT' } },
        result: { output: { written: 'plan' } },
      },
    })
    expect(existsSync(join(notes, 'plan.json'))).toBe(true)
    const read = await execute('get_note', { name: 'plan' })
    expect(read.body).toMatchObject({ status: 'executed', result: { output: { text: 'buy milk' } } })
    expect(read.body.receipt.routing_decision.tier).toBe('AUTO')

    const undone = await ask('POST', as.api_url + written.body.undo_url, as.live_key, {})

    expect(undone).toMatchObject({ status: 200, body: { status: 'undone' } })
    expect(existsSync(join(notes, 'plan.json'))).toBe(false)
  })

  test('a payment waits for another person, then runs exactly once', async () => {
    const held = await execute('refund_payment', { amount: 12.5 })

    expect(held).toMatchObject({ status: 202, body: { status: 'pending_approval', result: { status: 'queued' } } })
    const refunds = () => readdirSync(notes).filter((name) => name.startsWith('refund-'))
    expect(refunds()).toEqual([])
    const decide = (key: string) =>
      ask('POST', `${as.api_url}/api/v1/work/approvals/${held.body.approval.id}/approve`, key, { reason: 'checked' })
    expect(await decide(as.live_key)).toMatchObject({ status: 403 })

    expect(await decide(as.approver_key)).toMatchObject({ status: 403, body: { code: 'person_required' } })
    const approver = await signIn(as, as.approver)
    const approved = await decide(approver)

    expect(approved).toMatchObject({ status: 200, body: { status: 'approved', execution: { status: 'executed' } } })
    expect(await decide(approver)).toMatchObject({ status: 200 })
    expect(refunds()).toEqual([`refund-${held.body.receipt.request_id}.json`])
    const calls = node.lines.filter((line) => line.kind === 'called' && line.action === 'refund_payment')
    expect(calls).toMatchObject([{ key: held.body.receipt.request_id }])
  })

  test('the smoke test of deployments passes here, and fails with a key that is none', async () => {
    const smoke = async (key: string) => {
      const args = ['--url', as.api_url, '--app-url', as.app_url, '--key', key]
      const { email, password } = as.approver
      const env = { COUNTERSIGN_APPROVER_EMAIL: email, COUNTERSIGN_APPROVER_PASSWORD: password }
      const smokeTest = new URL('../../bin/smoke.ts', import.meta.url).pathname
      const { child, lines } = run([smokeTest, ...args], (text) => text, env)
      const [code] = await once(child, 'close')
      return { code, passed: lines.filter((line) => line.startsWith('ok ')).length, steps: lines.length }
    }

    expect(await smoke(as.live_key)).toEqual({ code: 0, passed: 14, steps: 14 })
    expect(await smoke('none')).toEqual({ code: 1, passed: 6, steps: 14 })
  })

  // Later than what runs without a person: an agent whose actions fail is trusted less, and then waits for one.
  test('an objective is watched, and a target fails it', async () => {
    const { body: steps } = await post('/api/v1/operations/runbooks', runbook)
    const sli = { metric: 'execution_success' }
    const objective = { name: 'Notes', sli, target_percent: 99, measurement_window: 'rolling-1d' }
    const { body: slo } = await post('/api/v1/operations/slos', objective)
    const watching = { name: 'Notes burn', kind: 'burn_rate', slo_id: slo.id, severity: 'critical', for: '0m' }
    const rule = { ...watching, auto_incident: true, runbook_id: steps.id }
    const made = await post(`/api/v1/tenants/${as.tenant_id}/alert-rules`, rule)
    expect(made).toMatchObject({ status: 201, body: { kind: 'burn_rate', auto_incident: true } })

    for (let time = 0; time < 10; time += 1)
      expect(await execute('get_index', {})).toMatchObject({ status: 502, body: { status: 'failed' } })
  })

  test('the alert of the objective opens an incident, whose step waits for approval and then runs', async () => {
    const isEvent = (line: Report): line is Report & { kind: 'verified' } => line.kind === 'verified'
    await receiver.count((line) => isEvent(line) && line.type === 'alert.firing', 1)
    await receiver.count((line) => isEvent(line) && line.data.artifact_type === 'task.created', runbook.steps.length)
    const [incident] = (await get('/api/v1/operations/incidents')).items
    expect(incident).toMatchObject({ source: 'alert', severity: 'sev1', status: 'triage' })
    const { items } = await get('/api/v1/work/tasks?kind=incident_step')
    const { id } = items.find(({ action }: { action?: object }) => action)
    const { action } = await get(`/api/v1/work/tasks/${id}`)
    expect(action).toMatchObject({ action_id: 'refund_payment', payload: { amount: 3, incident: incident.id } })

    const complete = { status: 'completed' }
    const asked = await ask('PATCH', `${as.api_url}/api/v1/work/tasks/${id}`, as.live_key, complete)
    expect(asked).toMatchObject({ status: 200, body: { status: 'in_review', tier: 'HARD' } })
    const { execution } = asked.body.action
    const { approval } = await get(`/api/v1/protocol/executions/${execution.id}`)
    const vote = `${as.api_url}/api/v1/work/approvals/${approval.id}/approve`
    expect(await ask('POST', vote, as.live_key, {})).toMatchObject({ status: 403 })
    expect(existsSync(join(notes, `refund-${execution.id}.json`))).toBe(false)
    expect(await ask('POST', vote, as.approver_key, {})).toMatchObject({ status: 403 })
    const approver = await signIn(as, as.approver)
    expect(await ask('POST', vote, approver, {})).toMatchObject({ status: 200 })

    expect(existsSync(join(notes, `refund-${execution.id}.json`))).toBe(true)
    expect(await get(`/api/v1/work/tasks/${id}`)).toMatchObject({
      status: 'completed',
      resolution: `executed: ${execution.id}`,
    })
  })

  test('the receiver gets and verifies every event, also those that it refused at first', async () => {
    const isExecuted = (line: Report): line is Report & { kind: 'verified' } =>
      line.kind === 'verified' && line.type === 'protocol.executed'
    await receiver.count(isExecuted, 4)
    const ids = receiver.lines.flatMap((line) => (line.kind === 'refused' ? [line.id] : []))
    const isRetried = (line: Report): line is Report & { kind: 'verified' } =>
      line.kind === 'verified' && ids.includes(line.id)
    await receiver.count(isRetried, 2)

    expect(receiver.lines.filter((line) => line.kind === 'forged')).toEqual([])
    expect(ids).toHaveLength(2)
  })

  test('the evidence verifies, and still does after the service was killed and started again', async () => {
    const before = await verify()
    expect(before).toMatchObject({
      status: 200,
      body: { chain_valid: true, broken_links: 0, signature_status: 'all_verified' },
    })
    expect(before.body.total_artifacts).toBeGreaterThanOrEqual(10)

    await service.process.kill('SIGKILL')
    service = await startService(data)
    as = service.credentials

    const after = await verify()
    expect(after).toMatchObject({
      status: 200,
      body: { chain_valid: true, broken_links: 0, signature_status: 'all_verified' },
    })
    expect(after.body.total_artifacts).toBeGreaterThanOrEqual(before.body.total_artifacts)
  })
})
