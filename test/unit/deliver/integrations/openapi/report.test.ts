import { expect, test } from 'vitest'
import { reportOf } from '../../../../../shared/deliver/integrations/openapi/report.ts'
import { converted } from './document.ts'

const putting = (schema: object) => ({ put: { requestBody: { content: { 'application/json': { schema } } } } })
const getting = (parameter: object) => ({ get: { parameters: [parameter] } })

test('the report counts what is converted, simplified and skipped, and each cause once for an operation', async () => {
  const conversion = await converted({
    '/plain': { get: {} },
    '/pattern': putting({ properties: { a: { pattern: 'a' }, b: { pattern: 'b' } }, not: {} }),
    '/one-of': putting({ oneOf: [{ type: 'string', pattern: 'a' }] }),
    '/tuple': putting({ prefixItems: [{}], items: { type: 'string' } }),
    '/cookie': getting({ name: 'a', in: 'cookie' }),
    '/matrix': getting({ name: 'a', in: 'query', style: 'matrix', required: true }),
    '/body': { get: { requestBody: { content: {} } } },
    '/elsewhere': { get: { $ref: './elsewhere.yaml' }, put: null, trace: {} },
  })

  expect(reportOf(conversion)).toEqual({
    operations: 10,
    converted: 6,
    simplified: 5,
    skipped: 4,
    simplified_because: [
      { reason: 'patterns', operations: 2 },
      { reason: 'body', operations: 1 },
      { reason: 'conditions', operations: 1 },
      { reason: 'one_of', operations: 1 },
      { reason: 'parameters', operations: 1 },
      { reason: 'tuples', operations: 1 },
    ],
    skipped_because: [
      { reason: 'malformed', operations: 1 },
      { reason: 'remote_reference', operations: 1 },
      { reason: 'unsupported_method', operations: 1 },
      { reason: 'unsupported_parameter', operations: 1 },
    ],
  })
})
