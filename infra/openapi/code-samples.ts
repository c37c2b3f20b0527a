// Code samples of an operation, made of its example: curl, TypeScript (openapi-fetch) and Python (requests).
import { DOCUMENT_HOSTS } from '../../shared/base/wire/site.ts'
import type { Route } from '../../shared/base/wire/route.ts'
import { accessOf } from './access.ts'

type Json = null | boolean | number | string | Json[] | { [name: string]: Json }
export type CodeSample = { lang: 'Shell' | 'TypeScript' | 'Python'; label: string; source: string }
/** `query`: the required parameters. */
export type Sampled = {
  route: Route
  path: Record<string, string>
  query: Record<string, string>
  body?: object | undefined
}

/** Calls of providers and browsers have no samples, and an event stream only curl: its one answer never ends. */
export function codeSamplesOf(sampled: Sampled): CodeSample[] {
  const { access, raw, stream } = sampled.route
  if (access === 'provider' || raw) return []
  const curl: CodeSample = { lang: 'Shell', label: 'curl', source: curlOf(sampled) }
  if (stream) return [curl]
  return [
    curl,
    { lang: 'TypeScript', label: 'TypeScript', source: typescriptOf(sampled) },
    { lang: 'Python', label: 'Python', source: pythonOf(sampled) },
  ]
}

const bodyOf = ({ body }: Sampled) => body && (JSON.parse(JSON.stringify(body)) as { [name: string]: Json })

function addressOf({ route, path, query }: Sampled): string {
  const filled = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? name))
  const search = new URLSearchParams(query).toString()
  return `${DOCUMENT_HOSTS[route.host === 'app' ? 'app' : 'api']}${filled}${search && `?${search}`}`
}

/** A key where keys are possible; otherwise, and for decisions, the access token of a person. */
function credentialOf({ route }: Sampled) {
  const access = accessOf(route)
  if (!access) return undefined
  return access.scope && route.access !== 'approvals:decide'
    ? { header: 'X-API-Key', prefix: '', variable: 'COUNTERSIGN_KEY' }
    : { header: 'Authorization', prefix: 'Bearer ', variable: 'ACCESS_TOKEN' }
}

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`
const LINE = 80
/** On one line if it is short. */
function jsonOf(value: Json, spaces = 2): string {
  const short = JSON.stringify(value, null, 1).replaceAll(/\n */g, ' ')
  return short.length <= LINE ? short : JSON.stringify(value, null, spaces)
}

/** Members without quotes where TypeScript needs none. */
const typescriptLiteral = (value: Json) =>
  indented(jsonOf(value).replaceAll(/"(?:[^"\\]|\\.)*":?/g, (token) => token.replace(/^"([A-Za-z_$][\w$]*)":$/, '$1:')))

function curlOf(sampled: Sampled): string {
  const { method, form, stream } = sampled.route
  const credential = credentialOf(sampled)
  const body = bodyOf(sampled)
  const sends = body && !form ? [`-H 'Content-Type: application/json'`, `-d ${quoted(jsonOf(body))}`] : []
  const fields =
    body && form
      ? Object.entries(body).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${textOf(value)}`)}`)
      : []
  const words = [stream ? 'curl -N' : 'curl', method !== 'GET' && `-X ${method}`, quoted(addressOf(sampled))]
  return [
    words.filter((word) => word !== false).join(' '),
    ...(credential ? [`-H "${credential.header}: ${credential.prefix}$${credential.variable}"`] : []),
    ...sends,
    ...fields,
  ].join(' \\\n  ')
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))

function typescriptOf(sampled: Sampled): string {
  const { route, path, query } = sampled
  const params = { ...(Object.keys(path).length > 0 && { path }), ...(Object.keys(query).length > 0 && { query }) }
  const body = bodyOf(sampled)
  const members = [
    ...(Object.keys(params).length > 0 ? [`params: ${typescriptLiteral(params)}`] : []),
    ...(body ? [`body: ${typescriptLiteral(body)}`] : []),
    ...(body && route.form ? [`headers: { 'Content-Type': 'application/x-www-form-urlencoded' }`] : []),
  ]
  const input = members.length > 0 ? `, {\n${members.map((member) => `  ${member},`).join('\n')}\n}` : ''
  return `const { data, error } = await client.${route.method}('${route.path}'${input})`
}

const indented = (text: string) => text.replaceAll('\n', '\n  ')

const PYTHON: Record<string, string> = { true: 'True', false: 'False', null: 'None' }

/** JSON outside of strings differs from Python in three words. */
const pythonLiteral = (value: Json) =>
  jsonOf(value, 4).replaceAll(/"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g, (token) => PYTHON[token] ?? token)

function pythonOf(sampled: Sampled): string {
  const { method, form } = sampled.route
  const credential = credentialOf(sampled)
  const body = bodyOf(sampled)
  const value =
    credential &&
    (credential.prefix
      ? `f"${credential.prefix}{os.environ['${credential.variable}']}"`
      : `os.environ["${credential.variable}"]`)
  const lines = [
    `"${addressOf(sampled)}",`,
    ...(credential ? [`headers={"${credential.header}": ${value}},`] : []),
    ...(body ? [`${form ? 'data' : 'json'}=${pythonLiteral(body)},`] : []),
  ]
  return [
    `${credential ? 'import os\n' : ''}import requests\n`,
    `response = requests.${method.toLowerCase()}(`,
    ...lines.map((line) => `    ${line.replaceAll('\n', '\n    ')}`),
    ')',
    'print(response.status_code, response.text)',
  ].join('\n')
}
