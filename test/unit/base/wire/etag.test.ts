import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { endpoint } from '../../../../shared/edge/endpoint.ts'
import { mustBeCurrent, namedVersion, tagged } from '../../../../shared/base/wire/etag.ts'
import { area, get, patch } from '../../../../shared/base/wire/route.ts'
import { type Deployment, deploy } from '../../edge/deployment.ts'

const named = (ifMatch: string | undefined, version?: number) =>
  namedVersion({ headers: ifMatch === undefined ? {} : { 'if-match': ifMatch }, body: { version } })

describe('the version that a change names', () => {
  test.each([
    ['"v3"', undefined, 3],
    [' "v3" ', undefined, 3],
    [undefined, 3, 3],
    ['"v3"', 3, 3],
    [undefined, undefined, undefined],
    ['*', undefined, undefined],
    ['*', 4, 4],
  ])('If-Match %s and version %s name %s', (ifMatch, version, expected) => {
    expect(named(ifMatch, version)).toBe(expected)
  })

  test('is refused when header and body disagree', () => {
    expect(() => named('"v3"', 4)).toThrow(expect.objectContaining({ kind: 'malformed' }))
  })

  test.each(['v3', '3', 'W/"v3"', '"v0"', '"v03"', '"v3", "v4"', '""', '"v-1"', ''])(
    'is refused as %s: a strong tag of ours or nothing',
    (ifMatch) => {
      expect(() => named(ifMatch)).toThrow(expect.objectContaining({ kind: 'malformed' }))
    },
  )

  test('that is not the present one is a conflict that names the present one', () => {
    const conflict = {
      kind: 'conflict',
      detail: 'The resource is at version 4. Read it again, then repeat your change.',
      options: { code: 'version_conflict' },
    }

    expect(() => mustBeCurrent(3, 4)).toThrow(expect.objectContaining(conflict))
    expect(() => mustBeCurrent(5, 4)).toThrow(expect.objectContaining(conflict))
    mustBeCurrent(4, 4)
    mustBeCurrent(undefined, 4)
  })
})

const options = {
  host: 'api',
  access: 'protocol:read',
  rate: 'global',
  uses: [],
  resource: 'thing',
  evidence: { none: 'a sample' },
  summary: 'A sample.',
} as const
const rows = area('things', { get: get('/api/things/{id}', options), update: patch('/api/things/{id}', options) })
const Thing = z.object({ name: z.string() })
const read = endpoint(rows.get, { response: Thing }, async () => tagged({ name: 'a', secret: 'x' }, 7))
const change = endpoint(
  rows.update,
  {
    body: z.strictObject({ version: z.int().optional() }),
    response: z.object({ named: z.int().nullable() }),
    versioned: true,
  },
  async ({ version }) => ({ named: version ?? null }),
)

let it: Deployment
let key: string
beforeEach(async () => {
  it = await deploy()
  key = await it.key()
})
const getWith = (headers: Record<string, string>) => it.send(read, { key, headers })
const patchWith = (headers: Record<string, string>, body: object = {}) => it.send(change, { key, headers, body })

describe('reading', () => {
  test('shows the tag beside what the schema lets through', async () => {
    expect(await getWith({})).toMatchObject({ status: 200, headers: { ETag: '"v7"' }, body: { name: 'a' } })
  })

  test.each(['"v7"', 'W/"v7"', '"v6", "v7"', '*'])('If-None-Match %s finds nothing new', async (tag) => {
    const reply = await getWith({ 'If-None-Match': tag })

    expect(reply).toMatchObject({ status: 304, headers: { ETag: '"v7"' }, body: {} })
    expect(reply.headers).not.toHaveProperty('Content-Type')
  })

  test.each(['"v6"', 'v7', ''])('If-None-Match %s gets the resource', async (tag) => {
    expect(await getWith({ 'If-None-Match': tag })).toMatchObject({ status: 200, body: { name: 'a' } })
  })
})

describe('changing', () => {
  test('the handler is given the version, by whichever way it was named', async () => {
    expect(await patchWith({ 'If-Match': '"v7"' })).toMatchObject({ body: { named: 7 } })
    expect(await patchWith({}, { version: 7 })).toMatchObject({ body: { named: 7 } })
    expect(await patchWith({})).toMatchObject({ body: { named: null } })
  })

  test('a tag for a change that takes none is refused, not passed over', async () => {
    const plain = endpoint(rows.update, { body: z.strictObject({}), response: Thing }, async () => ({ name: 'a' }))

    expect(await it.send(plain, { key, headers: { 'If-Match': '"v7"' }, body: {} })).toMatchObject({
      status: 400,
      body: { detail: 'This operation does not support versions. Leave out If-Match.' },
    })
    expect((await it.send(plain, { key, headers: { 'If-Match': '*' }, body: {} })).status).toBe(200)
    expect((await it.send(plain, { key, body: {} })).status).toBe(200)
  })

  test('a malformed tag is refused before the credential is looked at', async () => {
    expect(await it.send(change, { headers: { 'If-Match': 'seven' } })).toMatchObject({ status: 400 })
    expect(await patchWith({ 'If-Match': '"v7"' }, { version: 8 })).toMatchObject({ status: 400 })
  })
})
