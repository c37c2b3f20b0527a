// The generated client as its users have it: compiled against by the strict compiler, and run.
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { writeClient } from '../../infra/client/write.ts'
import { openapiDocument } from '../../infra/openapi/document.ts'

const COMPILER = join(import.meta.dirname, '../../node_modules/.bin/tsc')
const STRICT = [
  '--strict',
  '--noEmit',
  '--module',
  'nodenext',
  '--target',
  'es2023',
  '--lib',
  'es2023,dom',
  '--types',
  '',
]

let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'client-'))
  await writeClient(folder)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** What the compiler says of each program that uses the client, all in one run: empty when it compiles. */
function compile(programs: Record<string, string>): Promise<Record<string, string>> {
  const names = Object.keys(programs)
  const files = names.map((_, index) => `use-${index}.ts`)
  for (const [index, name] of names.entries()) {
    const text = `import { createClient, type Execution } from './index.js'\n${HEAD}\n${programs[name]}\nexport {}`
    writeFileSync(join(folder, files[index] ?? ''), text)
  }
  return new Promise((resolve) => {
    execFile(COMPILER, [...STRICT, '--skipLibCheck', 'false', ...files], { cwd: folder }, (_, output) => {
      const lines = output.split('\n')
      const said = names.map((name, index) => [
        name,
        lines.filter((line) => line.startsWith(`${files[index]}(`)).join('\n'),
      ])
      resolve(Object.fromEntries(said))
    })
  })
}
const HEAD = "const call = createClient({ baseUrl: 'https://api.example', credential: 'ak_test_x' })"
const body = "{ node_id: 'crm.contacts.editor', action_id: 'get_contact', payload: {} }"

const RIGHT = {
  'sends a right body': `await call('protocol-execute', { body: ${body} })`,
  'calls what needs nothing': "await call('limits-get')",
  'fills in a form': "await call('oauth-token', { body: { grant_type: 'client_credentials' } })",
  'names path and query': "await call('webhooks-deliveries', { params: { id: 'whe_1' }, query: { limit: 7 } })",
  'asks for the status before it reads the body': `const reply = await call('protocol-execute', { body: ${body} })
    if (reply.status === 200) { const execution: Execution = reply.body; console.log(execution.status) }
    if (reply.status === 429) console.log(reply.body.request_id)`,
}
const WRONG: Record<string, [program: string, error: string]> = {
  'leaves out a required field': ["await call('protocol-execute', { body: { node_id: 'a.b.c' } })", 'TS2739'],
  'misspells a field': [`await call('protocol-execute', { body: { ...${body}, polcy: 1 } })`, 'TS2353'],
  'sends a wrong type': [`await call('protocol-execute', { body: { ...${body}, node_id: 7 } })`, 'TS2322'],
  'sends no body': ["await call('protocol-execute')", 'TS2554'],
  'forgets a path value': ["await call('webhooks-get', {})", 'TS2345'],
  'calls what does not exist': ["await call('protocol-exeucte')", 'TS2345'],
  'takes a refusal for the resource': ["(await call('webhooks-get', { params: { id: 'x' } })).body.url", 'TS2339'],
}

test('programs that use the client rightly compile, and those that do not are told why', async () => {
  const { paths } = (await openapiDocument()) as { paths: Record<string, Record<string, { operationId: string }>> }
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  const everyId = ids.map((id) => `const _${id.replaceAll('-', '_')}: keyof Operations = '${id}'`).join('\n')
  const wrong = Object.fromEntries(Object.entries(WRONG).map(([name, [program]]) => [name, program]))

  const said = await compile({
    ...RIGHT,
    ...wrong,
    everyId: `import type { Operations } from './index.js'\n${everyId}`,
  })

  for (const name of Object.keys(RIGHT)) expect(said[name], name).toBe('')
  for (const [name, [, error]] of Object.entries(WRONG)) expect(said[name], name).toContain(error)
  // Every operation of the document but the stream.
  expect(said.everyId?.match(/error TS/g)).toHaveLength(1)
  expect(said.everyId).toContain('\'"events-stream"\'')
})

describe('a call', () => {
  test('sends method, path, query, credential and body, and gives status and body back', async () => {
    const { createClient } = await import(pathToFileURL(join(folder, 'index.js')).href)
    const sent: { url: string; init: RequestInit }[] = []
    const answering = async (url: string, init: RequestInit) => {
      sent.push({ url, init })
      return Response.json({ name: 'B' }, { status: 200 })
    }
    const call = createClient({ baseUrl: 'https://api.example', credential: 'k', fetch: answering })

    const reply = await call('webhooks-update', {
      params: { id: 'a b' },
      query: { limit: 1, cursor: undefined },
      body: { name: 'B' },
      headers: { 'if-match': '"v1"' },
    })

    expect(reply).toMatchObject({ status: 200, body: { name: 'B' } })
    expect(sent).toEqual([
      {
        url: 'https://api.example/api/webhooks/a%20b?limit=1',
        init: {
          method: 'PATCH',
          headers: { authorization: 'Bearer k', 'content-type': 'application/json', 'if-match': '"v1"' },
          body: '{"name":"B"}',
        },
      },
    ])
  })

  test('sends a form where the operation takes one, and reads every kind of JSON', async () => {
    const { createClient } = await import(pathToFileURL(join(folder, 'index.js')).href)
    const sent: RequestInit[] = []
    const answering = async (_: string, init: RequestInit) => {
      sent.push(init)
      return new Response('{"n":1}', { headers: { 'content-type': 'application/scim+json; charset=utf-8' } })
    }
    const call = createClient({ baseUrl: 'https://api.example', appUrl: 'https://app.example', fetch: answering })
    await call('oauth-token', { body: { grant_type: 'client_credentials', scope: 'a b', code: undefined } })

    expect(sent[0]).toMatchObject({
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&scope=a+b',
    })
    expect((await call('scim-list-users')).body).toEqual({ n: 1 })
  })
})
