// Requests and responses of SCIM: the parameters of a search, the shapes of bodies, lists, and views of single resources with their
// headers.
import { SCIM_RESULTS_MAX } from '../../base/limits/published.ts'
import { badRequest, SCIM_MEDIA_TYPE } from './refusal.ts'
import { GROUP, type Resource, type ResourceType, USER } from './resource-type.ts'
import { isSelected, select, type Selection } from './filter/select.ts'
import * as z from 'zod'
import { HttpResponse } from '../../base/wire/call.ts'
import type { Context } from '../../base/context.ts'
import type { Stored } from '../../base/table/entity.ts'
import { findGroup, membersOf, type ScimGroup } from './groups/stored-group.ts'
import { findPerson, groupIdsOf } from './users/find-users.ts'
import { groupView } from './groups/view.ts'
import { type Person, userView } from './users/user.ts'

export const COUNT_DEFAULT = 100

export type Search = Selection & {
  filter?: string
  /** The filter as its client may have meant it: a `+` that it did not encode comes as a space. Tried when `filter` finds nothing. */
  spelled?: string
  /** From 1. */
  startIndex: number
  /** 0: totals only. */
  count: number
}

/**
 * Reads the parameters of a search (RFC 7644, sections 3.4.2 and 3.4.3), from a query string or the body of POST /.search. Names may be
 * in any case. Unknown ones are ignored: sorting, and the flags that Entra adds to every URL.
 */
export function readSearch(sent: Resource): Search {
  const of = new Map(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]))
  const filter = of.get('filter')
  if (filter !== undefined && filter !== null && typeof filter !== 'string') {
    throw badRequest('invalidFilter', 'filter must be a string.')
  }
  return {
    ...(filter && filter.trim() !== '' && { filter }),
    startIndex: Math.max(1, wholeNumber(of.get('startindex')) ?? 1),
    count: Math.min(SCIM_RESULTS_MAX, Math.max(0, wholeNumber(of.get('count')) ?? COUNT_DEFAULT)),
    ...readSelection(sent),
  }
}

/** The search of a query string, in which a `+` that is not encoded means a space. No address has a space before its `@`. */
export function readQuerySearch(sent: Resource): Search {
  const search = readSearch(sent)
  const spelled = search.filter?.replaceAll(ADDRESS_WITH_SPACE, (text) => text.replaceAll(' ', '+'))
  return spelled === search.filter || spelled === undefined ? search : { ...search, spelled }
}

/** From the quote to the `@`, without a second quote. */
const ADDRESS_WITH_SPACE = /(?<=\beq )"[^"\\@ ]+(?: [^"\\@ ]+)+@/gi

/** Only `attributes` and `excludedAttributes`, for single resources. */
export function readSelection(sent: Resource): Selection {
  const of = new Map(Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value]))
  const [attributes, excludedAttributes] = [namesIn(of.get('attributes')), namesIn(of.get('excludedattributes'))]
  return { ...(attributes && { attributes }), ...(excludedAttributes && { excludedAttributes }) }
}

/** Undefined for anything but a number. */
function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined
  return Math.min(Number.MAX_SAFE_INTEGER, Math.trunc(number))
}

/** More names than all schemas together have. */
const NAMES_MAX = 200

/** The names of a comma-separated text or a list of texts; undefined when there are none. Throws 400 for too many. */
function namesIn(value: unknown): string[] | undefined {
  const texts = [value].flat().filter((one): one is string => typeof one === 'string')
  const names = texts.flatMap((text) => text.split(',')).filter((name) => name.trim() !== '')
  if (names.length > NAMES_MAX)
    throw badRequest('invalidValue', `You name too many attributes. Name at most ${NAMES_MAX}.`)
  return names.length > 0 ? names : undefined
}

const LIST_RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'

/** One page of `total` resources (RFC 7644, section 3.4.2). Throws 400 tooMany when the page is too large for a response. */
export const listResponse = (
  total: number,
  resources: readonly Resource[],
  { startIndex }: Pick<Search, 'startIndex'>,
) => ({
  schemas: [LIST_RESPONSE],
  totalResults: total,
  startIndex,
  itemsPerPage: resources.length,
  Resources: [...mustFit(resources)],
})

export type ListResponse = ReturnType<typeof listResponse>

/**
 * Bodies are loose, because names come in any case and unknown ones are ignored. `patch/normalise.ts` and `patch/operations.ts` check
 * them by the schema documents.
 */
const anything = () => z.looseObject({})

export const UserBody = anything()
export const GroupBody = anything()
export const PatchBody = anything()
export const SearchBody = anything()
export const AnyBody = anything()

/** Unknown parameters are ignored, because Entra adds flags to every URL. */
export const SelectionQuery = z.looseObject({
  attributes: z
    .string()
    .optional()
    .describe('Only these attributes, comma-separated (RFC 7644, section 3.9).')
    .meta({ examples: ['userName,emails.value'] }),
  excludedAttributes: z
    .string()
    .optional()
    .describe('All but these attributes, comma-separated (RFC 7644, section 3.9).')
    .meta({ examples: ['members'] }),
})

export const SearchQuery = SelectionQuery.extend({
  filter: z.string().optional().describe('A filter (RFC 7644, section 3.4.2.2).'),
  startIndex: z
    .string()
    .optional()
    .describe('The first resource of the page, counted from 1 (RFC 7644, section 3.4.2.4).'),
  count: z.string().optional().describe('Resources of a page (RFC 7644, section 3.4.2.4).'),
})

export const DiscoveryQuery = z.looseObject({
  filter: z.string().optional().describe('A filter (RFC 7644, section 3.4.2.2).'),
})

const described = () =>
  z.looseObject({
    schemas: z.array(z.string()).describe('Schemas of the resource (RFC 7643).'),
    meta: z.looseObject({}).describe('Metadata of the SCIM resource (RFC 7643, section 3.1).'),
  })
const stored = () =>
  z.looseObject({
    schemas: z.array(z.string()).describe('Schemas of the resource (RFC 7643).'),
    id: z.string().describe('The id, which never changes.'),
  })

export const ScimUserView = stored()
export const ScimGroupView = stored()
export const ResourceTypeView = described()
export const SchemaView = described()
export const ConfigView = described()

export const ListView = z.looseObject({
  schemas: z.array(z.string()).describe('Schemas of the resource (RFC 7643).'),
  totalResults: z.int().describe('The total number of items (RFC 7644).'),
  startIndex: z.int().describe('Position of the first item on this page, from 1 (RFC 7644).'),
  itemsPerPage: z.int().describe('The number of items on this page (RFC 7644).'),
  Resources: z.array(z.looseObject({})).describe('The resources of this page (RFC 7644, section 3.4.2).'),
})

/** For operations that are not supported and always answer an error. */
export const NoResponse = z.undefined()

const TYPE = { 'Content-Type': SCIM_MEDIA_TYPE }

export const scimResponse = (body: object): HttpResponse => new HttpResponse(200, body, { headers: TYPE })

type ResponseOptions = { selection?: Selection; status?: 200 | 201; unchanged?: boolean }

/** A resource with its ETag; a new one also with its Location. */
export function resourceResponse(
  type: ResourceType,
  resource: Resource,
  { selection = {}, status = 200, unchanged = false }: ResponseOptions,
): HttpResponse {
  const { version, location } = resource.meta as { version: string; location: string } // every view has them
  const headers = { ...TYPE, ETag: version, ...(status === 201 && { Location: location }) }
  return new HttpResponse(status, select(type, selection, resource), { headers, unchanged })
}

/** A Lambda function returns at most 6 MB, and a large group or many large users can exceed that. */
const BYTES_MAX = 5_500_000

const fits = (body: object): boolean => Buffer.byteLength(JSON.stringify(body)) <= BYTES_MAX

/** For reads. Throws 400 tooMany, because a group without its members would look empty. */
export function mustFit<T extends object>(body: T): T {
  if (fits(body)) return body
  throw badRequest('tooMany', 'The response would be too large. Ask for less with count or excludedAttributes=members.')
}

/** For changes of a group: leaves the members out when they do not fit, because the change has been made already. */
export function withoutMembersIfTooLarge(group: Resource): Resource {
  if (fits(group)) return group
  const { members: _, ...rest } = group
  return rest
}

/** The view of a person. Groups are read only if the response includes them. */
export async function showUser(ctx: Context, id: string, selection: Selection): Promise<Resource> {
  const [person, groups] = await Promise.all([findPerson(ctx, id), groupsIfSelected(ctx, id, selection)])
  return userView(person, groups)
}

/** The same for a person who was read already. */
export const showPerson = async (ctx: Context, person: Person, selection: Selection): Promise<Resource> =>
  userView(person, await groupsIfSelected(ctx, person.id, selection))

async function groupsIfSelected(ctx: Context, id: string, selection: Selection): Promise<string[] | undefined> {
  return isSelected(USER, selection, 'groups') ? (await groupIdsOf(ctx, [id])).get(id) : undefined
}

/** The view of a group. Members are read only if the response includes them. */
export const showGroup = async (ctx: Context, id: string, selection: Selection): Promise<Resource> =>
  mustFit(await wholeGroup(ctx, await findGroup(ctx, id), selection))

/** The view after a change of the group. */
export const showStoredGroup = async (ctx: Context, group: Stored<ScimGroup>, selection: Selection) =>
  withoutMembersIfTooLarge(await wholeGroup(ctx, group, selection))

async function wholeGroup(ctx: Context, group: Stored<ScimGroup>, selection: Selection): Promise<Resource> {
  return groupView(group, isSelected(GROUP, selection, 'members') ? await membersOf(ctx, group.id) : undefined)
}
