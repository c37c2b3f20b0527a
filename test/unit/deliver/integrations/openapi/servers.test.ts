import { describe, expect, test } from 'vitest'
import { convert } from '../../../../../shared/deliver/integrations/openapi/convert.ts'
import { readDocument } from '../../../../../shared/deliver/integrations/openapi/read-document.ts'
import { textOf } from './document.ts'

const BASE = 'https://api.example.com/v1'
const at = (...urls: string[]) => ({ servers: urls.map((url) => ({ url })) })

type Given = { item?: object; operation?: object; document?: object; base?: string }

async function pathOf(of: Given): Promise<string> {
  const paths = { '/a': { ...of.item, get: { ...of.operation } } }
  const { operations, skipped } = convert(await readDocument(textOf(paths, of.document)), 'tool', of.base ?? BASE)
  const [first] = operations
  return first ? first.endpoint.target.path : JSON.stringify(skipped)
}
const other = (detail: string) => JSON.stringify([{ operation: 'GET /a', reason: 'other_server', detail }])

describe('the server of an operation', () => {
  test.for<[Given, string]>([
    [{}, '/a'],
    [{ document: at('https://elsewhere.example') }, '/a'],
    [{ operation: at(BASE) }, '/a'],
    [{ operation: at(`${BASE}/`) }, '/a'],
    [{ item: at(`${BASE}/beta`) }, '/beta/a'],
    [{ item: at('https://files.example.com'), operation: at(`${BASE}/beta`) }, '/beta/a'],
    [{ operation: at('https://files.example.com', BASE) }, '/a'],
    [{ operation: at('/v1/beta') }, '/beta/a'],
    [{ operation: at('beta') }, '/beta/a'],
    [{ operation: { servers: [] } }, '/a'],
  ])('%j is called at %s', async ([of, path]) => {
    expect(await pathOf(of)).toBe(path)
  })

  test.for([
    'https://files.example.com',
    'https://api.example.com/v2',
    'https://api.example.com',
    'https://api.example.com/v10',
    'http://api.example.com/v1',
    'https://api.example.com:8443/v1',
    'https://api.example.com/v1/../v2',
    'https://user@api.example.com/v1',
    'https://api.example.com/v1?a=b',
    '/',
    'https://[bad',
  ])('%s is not where the connection may go', async (url) => {
    expect(await pathOf({ operation: at(url) })).toBe(other(url))
    expect(await pathOf({ item: at(url) })).toBe(other(url))
  })

  test('has the variables of the base address, else their defaults', async () => {
    const server = (url: string, variables: object) => ({ operation: { servers: [{ url, variables }] } })
    const region = { region: { default: 'us', enum: ['us', 'eu'] } }
    const base = 'https://eu.example.com'
    const regional = 'https://{region}.example.com'
    expect(await pathOf({ ...server(`${regional}/v2`, region), base })).toBe('/v2/a')
    expect(await pathOf({ ...server(regional, region), base: 'https://ap.example.com' })).toBe(other(regional))
    expect(await pathOf({ ...server(regional, { region: { default: 'us' } }), base: 'https://ap.example.com' })).toBe(
      '/a',
    )
    expect(await pathOf(server('https://api.example.com/{version}', { version: { default: 'v1' } }))).toBe('/a')
    expect(await pathOf(server('https://api.example.com/v1/{part}', { part: { default: 'x' } }))).toBe('/x/a')
  })

  test('that is the one of the document is the connector, which may be another installation', async () => {
    const document = at('https://cloud.example.com/api')
    const operation = at('https://cloud.example.com/api')
    expect(await pathOf({ document, operation })).toBe('/a')
    const uploads = 'https://uploads.example.com'
    expect(await pathOf({ document, operation: at(uploads) })).toBe(other(uploads))
    expect(await pathOf({ document: at(BASE, uploads), operation: at(uploads) })).toBe(other(uploads))
  })
})
