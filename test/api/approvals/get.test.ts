import { beforeAll, describe, expect, test } from 'vitest'
import { approvals } from '../../../functions/approvals/routes.ts'
import { protocol } from '../../../functions/protocol/routes.ts'
import { actionDigest } from '../../../shared/govern/approvals/hold.ts'
import { hex, payloadCommitment } from '../../../shared/ledger/evidence/artifact/hashes.ts'
import { bodyOf, type Governed, governed, manifestOf } from '../../support/governed.ts'
import { ownerInPerson } from '../../support/sign-in.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local, [{ action_id: 'delete_contact', description: 'Deletes a contact for good.' }])
})

describe('GET /api/v1/work/approvals/{id}', () => {
  test('200: shows what an approver must see, and nothing of how it is kept', async () => {
    const payload = { contact: 'con_1', note: 'x'.repeat(9_000) }
    const { approval, receipt } = await acme.held('delete_contact', { payload })
    const { status, body } = await acme.call(approvals.get, { params: { id: approval.id } })

    expect(status).toBe(200)
    expect(body).toMatchObject({
      ...approval,
      request_id: receipt.request_id,
      status: 'pending',
      action_description: 'Deletes a contact for good.',
      payload,
      stages: [{ groups: ['any'], min_approvals: 1, mode: 'any', status: 'open' }],
      votes: [],
    })
    for (const hidden of ['tenant_id', 'persons', '_v', 'pk']) expect(body).not.toHaveProperty(hidden)
  })

  test('200: anybody can check that the digest binds exactly this payload', async () => {
    const { approval } = await acme.held()
    const seen = await acme.approval(approval.id)
    const { body } = await acme.call(protocol.getManifest, { params: { node_id: seen.node_id } })
    const commitment = (payload: object) => hex(payloadCommitment(Buffer.from(seen.payload_salt, 'hex'), payload))
    const digest = (payload: object) => actionDigest({ ...seen.binding, payload_commitment: commitment(payload) })

    expect(seen.binding).toEqual({
      v: 1,
      tenant_id: acme.tenant_id,
      mode: 'live',
      request_id: seen.request_id,
      node_id: seen.node_id,
      version: seen.version,
      manifest_sha256: body.manifest_sha256,
      action_id: seen.action_id,
      requested_by: seen.requested_by,
      agent_id: null,
      payload_commitment: commitment(seen.payload),
      policy_set_version: seen.policy_set_version,
    })
    expect(digest(seen.payload)).toBe(seen.action_digest)
    expect(digest({ ...seen.payload, contact: 'con_2' })).not.toBe(seen.action_digest)
  })

  test('200: the digest binds where the action is carried out', async () => {
    const url = 'https://8.8.8.8/v1/contacts?hard=true'
    const to = { type: 'http', url, method: 'DELETE' }
    await acme.register([{ action_id: 'delete_contact', target: to }], { id: 'crm.contacts.target' })
    const { approval } = await acme.held('delete_contact', { node_id: 'crm.contacts.target' })
    const seen = await acme.approval(approval.id)

    expect(seen).toMatchObject({
      target: 'DELETE 8.8.8.8 /v1/contacts?hard=true',
      binding: { v: 2, target: { method: 'DELETE', host: '8.8.8.8', path: '/v1/contacts?hard=true' } },
    })
    expect(actionDigest(seen.binding)).toBe(seen.action_digest)
  })

  test('200: shows what has changed since the action was approved last', async () => {
    const node = { id: 'crm.contacts.moving' }
    const action = (url: string) => ({ action_id: 'delete_contact', target: { type: 'http', url } })
    await acme.register([action('https://8.8.8.8/contacts')], node)
    const held = () => acme.held('delete_contact', { node_id: node.id })
    const first = await held()
    expect(await acme.approval(first.approval.id)).not.toHaveProperty('changed_since')
    expect(await acme.approve(first.approval.id)).toMatchObject({ status: 200 })
    const second = await held()
    expect(await acme.approval(second.approval.id)).not.toHaveProperty('changed_since')
    const { call } = await ownerInPerson(local, acme)
    const body = manifestOf([action('https://1.1.1.1/contacts')], { ...node, version: '1.0.1' })
    bodyOf(await call(protocol.registerManifest, { body }), 201)
    const { approval } = await held()

    expect((await acme.approval(approval.id)).changed_since).toEqual({
      version: '1.0.0',
      approval_id: first.approval.id,
      approved_at: expect.any(String),
      differences: [{ path: '/target/url', before: '"https://8.8.8.8/contacts"', after: '"https://1.1.1.1/contacts"' }],
    })
  })

  test('200: the description is that of the bound version', async () => {
    const { approval } = await acme.held()
    await acme.register([{ action_id: 'delete_contact', description: 'Another text.' }], { version: '2.0.0' })

    expect(await acme.approval(approval.id)).toMatchObject({
      version: '1.0.0',
      action_description: 'Deletes a contact for good.',
    })
  })

  test('200: what a superseded approval bound is shown as it was', async () => {
    const { approval } = await acme.held()
    await acme.register([{ action_id: 'delete_contact', description: 'Deletes for good.' }], { version: '3.0.0' })
    expect(await acme.approve(approval.id)).toMatchObject({ status: 409 })
    const seen = await acme.approval(approval.id)
    const successor = await acme.approval(seen.superseded_by)

    expect(actionDigest(seen.binding)).toBe(seen.action_digest)
    expect(successor.binding).toMatchObject({ version: '3.0.0' })
    expect(actionDigest(successor.binding)).toBe(successor.action_digest)
  })

  test('404: another tenant’s request looks exactly like a missing one', async () => {
    const { approval } = await acme.held()
    const other = await local.tenant()
    const get = (id: string) => other.call(approvals.get, { params: { id } })
    const foreign = await get(approval.id)
    const missing = await get('apr_01JD3Q8Z5N0A2C4E6G8J0M2P4R')

    expect(foreign).toMatchObject({ status: 404, body: { detail: 'approval not found' } })
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
  })
})
