import { beforeAll, describe, expect, test } from 'vitest'
import { compliance } from '../../../functions/compliance/routes.ts'
import { evidence } from '../../../functions/evidence/routes.ts'
import { bodyOf } from '../../support/any-route.ts'
import { withoutIds } from '../../support/error-body.ts'
import type { TestTenant } from '../../support/local-stack.ts'
import { useLocalStack } from '../../support/use-local-stack.ts'

const MISSING = 'evd_01JD3Q8Z5N0A2C4E6G8J0M2P4R'

const local = useLocalStack()
let acme: TestTenant
beforeAll(async () => {
  acme = await local.tenant()
})

const statement = {
  ...bodyOf(compliance.submitEvidence),
  source: 'statement',
  file: null,
  statement: 'All accounts were reviewed.',
}
const submit = (body: object, { tenant_id, call } = acme, headers = {}) =>
  call(compliance.submitEvidence, { params: { tenant_id }, body: { ...statement, ...body }, headers })
const read = (id: string, { call } = acme) =>
  call(compliance.getEvidence, { params: { tenant_id: acme.tenant_id, id } })
const newest = async () => (await acme.call(evidence.latest, { query: { limit: 1 } })).body.items[0]

describe('POST /api/v1/compliance/tenants/{tenant_id}/evidence', () => {
  test.each([
    {},
    { source: 'url', statement: null, url: 'https://wiki.example/reviews/q3' },
    { description: 'Signed by the head of IT.', valid_until: '2027-11-20T00:00:00.000Z' },
  ])('201: %j is submitted at once and can be read', async (over) => {
    const { status, body, headers } = await submit(over)
    const found = await read(body.id)

    expect({ status, state: body.status }).toEqual({ status: 201, state: 'submitted' })
    expect(body).not.toHaveProperty('upload')
    expect(headers.location).toBe(`/api/v1/compliance/tenants/${acme.tenant_id}/evidence/${body.id}`)
    expect(found).toMatchObject({ status: 200, body })
  })

  test('201: leaves an artifact with codes and controls, and no word that somebody wrote', async () => {
    const { body } = await submit({ title: 'canary-title', statement: 'canary-statement', description: 'canary-text' })
    const artifact = await acme.call(evidence.get, { params: { id: body.evidence_artifact_id } })

    expect(JSON.parse(artifact.body.header)).toMatchObject({
      type: 'compliance.evidence.submitted',
      subject: { type: 'submitted_evidence', id: body.id },
      data: { kind: 'access_review', source: 'statement', control_refs: body.control_refs },
    })
    expect(JSON.stringify(artifact.body)).not.toContain('canary')
  })

  test('201: an artifact of the tenant is evidence, too', async () => {
    const { artifact_id } = await newest()
    const { status, body } = await submit({ source: 'artifact', statement: null, artifact_id })

    expect({ status, body }).toMatchObject({ status: 201, body: { status: 'submitted', artifact_id } })
  })

  test('201: repeated with the same key, is submitted once', async () => {
    const once = () => submit({}, acme, { 'idempotency-key': 'review-1' })
    const [first, second] = [await once(), await once()]

    expect(second.body).toEqual(first.body)
    expect(second.headers['idempotent-replayed']).toBe('true')
  })

  test('422: an artifact of another tenant is like none', async () => {
    const { artifact_id } = await newest()
    const stranger = await local.tenant()
    const refused = await submit({ source: 'artifact', statement: null, artifact_id }, stranger)

    expect(refused).toMatchObject({ status: 422, body: { detail: [{ loc: ['body', 'artifact_id'] }] } })
  })

  test('422: an unknown control is named by its place', async () => {
    const control_refs = [...bodyRefs(), { framework_id: 'iso27001', control_id: 'A.9.99' }]

    expect(await submit({ control_refs })).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'control_refs', 1, 'control_id'], type: 'value_error' }] },
    })
  })
})

const bodyRefs = () => [{ framework_id: 'soc2', control_id: 'CC6.3' }]

describe('GET /api/v1/compliance/tenants/{tenant_id}/evidence/{id}', () => {
  test('404: what the other mode has is like nothing', async () => {
    const { body } = await submit({})
    const sandbox = { ...acme, call: acme.as('sandbox').call }
    const [theirs, missing] = [await read(body.id, sandbox), await read(MISSING, sandbox)]

    expect(theirs.status).toBe(404)
    expect(withoutIds(theirs)).toEqual(withoutIds(missing))
  })
})
