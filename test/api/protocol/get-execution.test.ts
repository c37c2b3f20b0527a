import { beforeAll, describe, expect, test } from 'vitest'
import { protocol } from '../../../functions/protocol/routes.ts'
import { type Governed, governed } from '../../support/governed.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const local = useLocalStack()
let acme: Governed
beforeAll(async () => {
  acme = await governed(local)
})

describe('GET /api/v1/protocol/executions/{request_id}', () => {
  test.each(['get_contact', 'update_contact', 'delete_contact'])(
    '200: shows %s as it was answered, with its evidence',
    async (action_id) => {
      const { body } = await acme.execute(action_id)
      const { evidence, ...seen } = await acme.look(body.receipt.request_id)

      expect(seen).toEqual(body)
      expect(evidence).toEqual([
        {
          artifact_id: body.receipt.evidence_artifact_id,
          hash: body.receipt.evidence_hash,
          type: action_id === 'delete_contact' ? 'action.requested' : 'protocol.executed',
          at: expect.any(String),
        },
      ])
    },
  )

  test('200: a rejected one too, whose own answer was a 403', async () => {
    const tenant = await governed(local)
    await tenant.policy({ name: 'never', effect: 'forbid' })
    const { body } = await tenant.execute('get_contact')
    const { evidence, ...seen } = await tenant.look(body.receipt.request_id)

    expect(seen).toEqual(body)
    expect(evidence).toMatchObject([{ type: 'action.rejected' }])
  })

  test('200: the receipt stays what it was while the state moves', async () => {
    const { approval, receipt } = await acme.held()
    await acme.approve(approval.id)
    const after = await acme.look(receipt.request_id)

    expect(after).toMatchObject({ status: 'executed', result: { status: 'completed' } })
    expect(after.receipt).toEqual(receipt)
    expect(after).not.toHaveProperty('approval')
    expect(after.evidence).toHaveLength(3)
  })

  test('200: says how a held action ended', async () => {
    const rejected = await acme.held()
    await acme.reject(rejected.approval.id)
    const expired = await acme.held()
    local.clock.moveTo(Date.parse(expired.approval.expires_at))
    await local.sweep()

    expect(await acme.look(rejected.receipt.request_id)).toMatchObject({
      status: 'rejected',
      result: { message: 'Rejected.' },
    })
    expect(await acme.look(expired.receipt.request_id)).toMatchObject({
      status: 'expired',
      result: { status: 'rejected', message: 'The approval expired.' },
    })
  })

  test('404: another tenant’s execution looks exactly like a missing one', async () => {
    const { body } = await acme.execute('get_contact')
    const other = await governed(local)
    const get = (request_id: string) => other.call(protocol.getExecution, { params: { request_id } })
    const foreign = await get(body.receipt.request_id)
    const missing = await get('exe_01JD3Q8Z5N0A2C4E6G8J0M2P4R')

    expect(foreign).toMatchObject({ status: 404, body: { detail: 'execution not found' } })
    expect({ ...foreign.body, request_id: '' }).toEqual({ ...missing.body, request_id: '' })
  })
})
