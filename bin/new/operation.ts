// What is to be written, from `<area>/<operation>` and the options: names, row and kind of a new operation.
import { routes } from '../../functions/api.ts'
import { type Permission, PERMISSIONS } from '../../shared/base/catalog/permissions.ts'
import type { Method } from '../../shared/base/wire/route.ts'

/** What its verb does with the entity of the area. */
export type Kind = 'create' | 'list' | 'show' | 'change' | 'remove'

export type Operation = {
  area: string
  operation: string
  method: Method
  path: string
  access: Permission
  layer: string
  kind: Kind
  /** The text members of a body. */
  members: string[]
  /** Those of the entity. */
  stored: string[]
  /** The path variable that names one thing; the tenant's own id does not count. */
  variable: string | undefined
  /** The name and description of the area in the reference. */
  tag: string
  description: string
}

export type Options = Partial<Record<'method' | 'path' | 'permission' | 'layer' | 'members' | 'tag', string>>

/** The operation cannot be written as it was asked for. The message is all that is printed. */
export class Refused extends Error {}

export const NAME = /^[a-z]+(-[a-z]+)*$/
export const LAYERS: readonly string[] = ['identity', 'govern', 'deliver', 'operate', 'assure']
const METHODS: readonly [RegExp, Method][] = [
  [/^(get|show|list)\b/, 'GET'],
  [/^(delete|remove)\b/, 'DELETE'],
  [/^update\b/, 'PATCH'],
  [/^(replace|set)\b/, 'PUT'],
]

export const camel = (name: string): string => name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
export const pascal = (name: string): string => camel(`-${name}`)
export const singular = (area: string): string => area.replace(/ies$/, 'y').replace(/([^s])s$/, '$1')
export const words = (name: string): string => name.replaceAll('-', ' ')

/** `textOf` reads a file of the project, if it is there. Throws `Refused`. */
export function readOperation(
  target: string,
  options: Options,
  textOf: (path: string) => string | undefined,
): Operation {
  const [area = '', operation = '', ...more] = target.split('/')
  if (!NAME.test(area) || !NAME.test(operation) || more.length > 0) {
    throw new Refused('Name the operation as <area>/<operation>, in small letters with hyphens: notes/create.')
  }
  if (routes.some((route) => route.area === area && route.operation === operation)) {
    throw new Refused(`${target} exists already: functions/${target}.ts.`)
  }
  const { method = METHODS.find(([pattern]) => pattern.test(operation))?.[1] ?? 'POST', layer = 'operate' } = options
  if (!isMethod(method)) throw new Refused(`${method} is no method: GET, POST, PUT, PATCH or DELETE.`)
  if (!LAYERS.includes(layer)) throw new Refused(`${layer} is no layer for an area: ${LAYERS.join(', ')}.`)
  const { path = pathOf(area, operation, method), tag = sentence(words(area)) } = options
  mustBeFree(method, path)
  const [variable, second] = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name).filter(isOwn)
  if (second) throw new Refused(`${path} has two variables of its own; write this endpoint by hand.`)
  const kind = kindOf(method, variable)
  const entity = `shared/${layer}/${area}/${singular(area)}.ts`
  const stored = membersOfEntity(entity, textOf(entity)) ?? membersOf(options.members ?? 'name')
  const [name = '', description = `What is done with ${words(area)}.`] = tag.split(/: (.*)/s)
  return {
    area,
    operation,
    method,
    path,
    layer,
    kind,
    variable,
    tag: name,
    description,
    access: accessOf(area, method, options.permission),
    stored,
    members: method === 'GET' || method === 'DELETE' ? [] : mustBeStored(entity, stored, options.members),
  }
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}`
const isOwn = (name: string) => name !== 'tenant_id'
const isMethod = (text: string): text is Method => ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].includes(text)
const isPermission = (text: string): text is Permission => Object.hasOwn(PERMISSIONS, text)

function pathOf(area: string, operation: string, method: Method): string {
  const all = `/api/v1/${area}`
  if (operation === 'list' || operation === 'create') return all
  if (method !== 'POST') return `${all}/{id}`
  return `${all}/{id}/${operation}`
}

function mustBeFree(method: Method, path: string): void {
  if (!/^(\/([\w.-]+|\{\w+\}))+$/.test(path)) throw new Refused(`${path} is no path, such as /api/v1/notes/{id}.`)
  const place = path.replaceAll(/\{\w+\}/g, '{}')
  const same = routes.find((route) => route.method === method && route.path.replaceAll(/\{\w+\}/g, '{}') === place)
  if (same) throw new Refused(`${method} ${path} is served already, by ${same.area}/${same.operation}.`)
}

function kindOf(method: Method, variable: string | undefined): Kind {
  if (method === 'GET') return variable ? 'show' : 'list'
  if (variable) return method === 'DELETE' ? 'remove' : 'change'
  if (method === 'POST') return 'create'
  throw new Refused(`${method} needs a path that names one thing: end it in {id}.`)
}

/** Without an option: what the area's other rows of this sort need, or the permission that has its name. */
function accessOf(area: string, method: Method, chosen: string | undefined): Permission {
  const reads = method === 'GET'
  const like = routes.find((route) => route.area === area && (route.method === 'GET') === reads)?.access
  const permission = chosen ?? like ?? `${area}:${reads ? 'read' : 'write'}`
  if (isPermission(permission)) return permission
  const known = Object.keys(PERMISSIONS).join(', ')
  throw new Refused(`There is no permission ${permission}. Give one with --permission: ${known}.`)
}

function membersOf(text: string): string[] {
  const members = text.split(',')
  const wrong = members.find((name) => !/^[a-z][a-z0-9_]*$/.test(name) || FIXED.includes(name))
  if (wrong !== undefined) throw new Refused(`A body cannot have the member "${wrong}"; use small letters: title,text.`)
  return members
}

/** What every stored thing has of itself. */
const FIXED = ['tenant_id', 'mode', 'id', 'created_at']

/** Of an entity that stands there already. */
function membersOfEntity(path: string, text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined
  const members = [...text.matchAll(/^ {2}(\w+): z\.string\(\)/gm)].map(([, name = '']) => name)
  const further = members.filter((name) => !FIXED.includes(name))
  if (further.length > 0 && text.includes('Partition = (space: Space)')) return further
  throw new Refused(
    `${path} is not as this generator writes entities: choose another --layer, or write this one by hand.`,
  )
}

function mustBeStored(path: string, stored: readonly string[], chosen: string | undefined): string[] {
  const members = chosen === undefined ? [...stored] : membersOf(chosen)
  const missing = members.find((name) => !stored.includes(name))
  if (missing) throw new Refused(`${path} has no member ${missing}. Add it there first.`)
  return members
}
