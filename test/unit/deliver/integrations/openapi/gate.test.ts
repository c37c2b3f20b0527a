import { describe, expect, test } from 'vitest'
import { CATALOGUE } from '../../../../../shared/deliver/integrations/catalogue/catalogue.ts'
import { convert } from '../../../../../shared/deliver/integrations/openapi/convert.ts'
import { readDocument } from '../../../../../shared/deliver/integrations/openapi/read-document.ts'
import { requestOf, requestViolations } from '../../../../../shared/govern/manifests/connection-request.ts'
import { inputSchemaProblems } from '../../../../../shared/govern/manifests/input-schema-limits.ts'
import { payloadCheck, schemaViolations } from '../../../../../shared/govern/manifests/payload-check.ts'
import { PUBLIC_STYLES } from './public-styles.ts'
import { type Doc, prescribed, readBack, requestsOf } from './wire-checker.ts'

type Case = [name: string, document: object, base: string, operations: number]
const HOST = 'https://api.example.com'
const CASES: Case[] = [
  ['payments', PUBLIC_STYLES.payments, `${HOST}/v1`, 2],
  ['telephony', PUBLIC_STYLES.telephony, HOST, 1],
  ['infrastructure', PUBLIC_STYLES.infrastructure, HOST, 3],
  ['accounting', PUBLIC_STYLES.accounting, `${HOST}/2.0`, 2],
  ...CATALOGUE.map(({ id, document }): Case => [id, document, HOST, Number.NaN]),
]

describe.each(CASES)('%s', (_, document, base, count) => {
  test('each published operation takes the examples of its document and sends what OpenAPI prescribes', async () => {
    const { operations, skipped } = convert(await readDocument(JSON.stringify(document)), 'tool', base)
    expect(skipped).toEqual([])
    if (!Number.isNaN(count)) expect(operations).toHaveLength(count)

    for (const { operation, endpoint } of operations) {
      const { input_schema, target } = endpoint
      expect(inputSchemaProblems(input_schema)).toEqual([])
      expect(schemaViolations(input_schema, [])).toEqual([])
      const [method = '', path = ''] = operation.split(' ')
      for (const one of requestsOf(document as Doc, method, path)) {
        const payload = Object.fromEntries(
          Object.entries(one.payload).filter(([name, of]) => name === 'body' || Object.keys(of ?? {}).length > 0),
        )
        expect({ operation, violations: payloadCheck(input_schema)(payload) }).toEqual({ operation, violations: [] })
        expect(requestViolations(target, payload)).toEqual([])
        if (target.graphql !== undefined) continue
        const sent = requestOf(target, payload, base)
        expect(sent && readBack(sent, base)).toEqual(prescribed(one, path))
      }
    }
  })
})
