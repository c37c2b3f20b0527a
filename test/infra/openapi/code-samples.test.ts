import { spawnSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { codeSamplesOf, type Sampled } from '../../../infra/openapi/code-samples.ts'
import { openapiDocument } from '../../../infra/openapi/document.ts'
import { approvals } from '../../../functions/approvals/routes.ts'
import { events } from '../../../functions/events/routes.ts'
import { mfa } from '../../../functions/mfa/routes.ts'
import { oauth } from '../../../functions/oauth/routes.ts'
import { webhooks } from '../../../functions/webhooks/routes.ts'
import { asArray, asObject, asText, type JsonObject } from '../support/resolve.ts'

const sample = (sampled: Partial<Sampled> & Pick<Sampled, 'route'>) =>
  Object.fromEntries(codeSamplesOf({ path: {}, query: {}, ...sampled }).map(({ lang, source }) => [lang, source]))

describe('a code sample', () => {
  test('sends body and credential to the address of the example', () => {
    const { Shell, TypeScript, Python } = sample({
      route: approvals.approve,
      path: { id: 'apr_1' },
      body: { reason: "Ada's refund" },
    })

    expect(Shell).toBe(
      String.raw`curl -X POST 'https://api.countersign.example/api/v1/work/approvals/apr_1/approve' \
  -H "Authorization: Bearer $ACCESS_TOKEN" \
  -H 'Content-Type: application/json' \
  -d '{ "reason": "Ada'\''s refund" }'`,
    )
    expect(TypeScript).toBe(`const { data, error } = await client.POST('/api/v1/work/approvals/{id}/approve', {
  params: { path: { id: "apr_1" } },
  body: { reason: "Ada's refund" },
})`)
    expect(Python).toContain(
      'requests.post(\n    "https://api.countersign.example/api/v1/work/approvals/apr_1/approve",\n',
    )
    expect(Python).toContain('json={ "reason": "Ada\'s refund" },')
  })

  test('writes values of Python, and leaves the same words in texts alone', () => {
    const { Python } = sample({
      route: webhooks.create,
      body: { on: true, off: false, none: null, said: 'true "null"' },
    })

    expect(Python).toContain(String.raw`json={ "on": True, "off": False, "none": None, "said": "true \"null\"" },`)
  })

  test('sends the access token of a person where no key is possible', () => {
    const { Shell, Python } = sample({ route: mfa.get })

    expect(Shell).toContain('-H "Authorization: Bearer $ACCESS_TOKEN"')
    expect(Python).toContain(`f"Bearer {os.environ['ACCESS_TOKEN']}"`)
  })

  test('sends a form where the operation takes one', () => {
    const { Shell, TypeScript, Python } = sample({ route: oauth.revoke, body: { token: 'a b' } })

    expect(Shell).toContain(`--data-urlencode 'token=a b'`)
    expect(TypeScript).toContain(`headers: { 'Content-Type': 'application/x-www-form-urlencoded' }`)
    expect(Python).toContain('data={ "token": "a b" }')
  })

  test('of a stream is for a client that reads on', () => {
    expect(sample({ route: events.stream })).toEqual({ Shell: expect.stringMatching(/^curl -N /) })
  })
})

describe('the document', async () => {
  const document = JSON.parse(JSON.stringify(await openapiDocument())) as JsonObject
  const operations = Object.values(asObject(document.paths)).flatMap((methods) => Object.values(asObject(methods)))
  const sources = (lang: string) =>
    operations.flatMap((operation) =>
      asArray(asObject(operation)['x-codeSamples'] ?? [])
        .map(asObject)
        .flatMap((one) => (one.lang === lang ? asText(one.source) : [])),
    )
  const hasPython = spawnSync('python3', ['--version']).status === 0

  test('has samples for every operation but those of providers', () => {
    const without = operations.map(asObject).filter((operation) => !operation['x-codeSamples'])

    expect(without.map(({ operationId }) => operationId)).toEqual(['billing-receive', 'integrations-receive'])
  })

  test('has curl samples that a shell reads', () => {
    const { status, stderr } = spawnSync('sh', ['-n'], { input: sources('Shell').join('\n'), encoding: 'utf8' })

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  test.skipIf(!hasPython)('has Python samples that compile (skipped where there is no python3)', () => {
    const program = 'import json, sys\nfor source in json.load(sys.stdin): compile(source, "sample", "exec")'
    const input = JSON.stringify(sources('Python'))
    const { status, stderr } = spawnSync('python3', ['-W', 'error', '-c', program], { input, encoding: 'utf8' })

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })
})
