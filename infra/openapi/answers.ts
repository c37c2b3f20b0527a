// The responses of an operation: its success, outcomes that are not failures, and refusals.
import { takesAnyQuery, takesIdempotencyKey } from '../../shared/edge/validate.ts'
import { accessOf, changesSomething } from './access.ts'
import { ALWAYS, header, headersOfRefusal } from './headers.ts'
import { type JsonSchema, OBJECT } from './json-schema.ts'
import { mcpRefusal } from './mcp.ts'
import { oauthRefusal } from './oauth.ts'
import { REFUSALS } from './problem.ts'
import { SCIM_JSON, scimRefusal } from './scim.ts'
import { mediaTypeOf, type Operation, type Schemas } from './schemas.ts'

const SENT_ON = 'The browser is sent to `Location`.'

const WAITS = 'It loosens what governs, and no person asks for it: it waits for approval, at `Location`.'

type Answer = { description: string; headers?: JsonSchema; content?: JsonSchema }

/** Further statuses in which an operation answers with the same body: outcomes, not failures. */
export const OUTCOMES: Record<string, Record<number, string>> = {
  'protocol-execute': {
    202: 'Held: the action waits for approval, at `Location`.',
    403: 'Rejected by a policy, or the credential may not do this.',
    502: 'The call of the target failed.',
  },
  'agent-execute': {
    202: 'Held: the task waits for approval, at `Location`.',
    403: 'Rejected by a policy, or the credential may not do this.',
  },
  'protocol-undo': {
    202: 'Held: the undo action waits for approval, at `Location`.',
    403: 'The undo action is rejected by a policy, or you may not undo this. The action stays executed.',
    502: 'The undo action failed, so the action stays executed.',
  },
  'security-save-calendar': { 201: 'The calendar is new.', 202: WAITS },
  'security-save-policy': { 200: 'A new version of an existing policy, or the result of a dry run.', 202: WAITS },
  'security-disable-policy': { 202: WAITS },
  'security-save-lexicon': { 202: WAITS },
  'tenants-update': { 202: WAITS },
  'protocol-register-manifest': { 202: WAITS },
  'integrations-publish': { 202: WAITS },
  'docs-home': { 302: SENT_ON },
  'docs-page': { 302: `${SENT_ON} Only from a path that ends with a slash.` },
  'docs-part': { 302: `${SENT_ON} Only from a path that ends with a slash.` },
  'approvals-submit-page': { 303: SENT_ON },
  'oauth-authorize': { 303: SENT_ON },
  'oauth-resume': { 303: SENT_ON },
  'oauth-submit-interaction': { 303: SENT_ON },
  'sso-start': { 302: SENT_ON },
  'sso-start-open-id': { 302: SENT_ON },
  'sso-saml-callback': { 302: SENT_ON },
  'sso-open-id-callback': { 302: SENT_ON },
  'sso-logout': { 302: SENT_ON },
  'users-invite': { 200: 'The address was invited before. The mail is sent again.' },
  'health-check': { 503: 'Unhealthy: the database does not answer.' },
  'health-ready': { 503: 'Not ready: a dependency does not answer.' },
  'health-detailed': { 503: 'A component has failed.' },
}

/** Operations that only send the browser on. */
const REDIRECTS = ['docs-home', 'sso-start', 'sso-start-open-id', 'sso-saml-callback', 'sso-open-id-callback']

/** Parts of SCIM that this service does not have. */
const isAbsent = ({ route, shapes }: Operation): boolean =>
  route.dialect === 'scim' && route.success !== 204 && shapes.response.safeParse(undefined).success

/** Refusals that do not follow from the row. */
export const ALSO: Record<string, readonly number[]> = {
  'evidence-payload': [409],
  'evidence-proof': [409],
  'exports-approvals': [404],
  'exports-receipts': [404],
  'learning-latest': [404],
  'sso-start': [404],
  'sso-start-open-id': [404],
}

/** The refusals that follow from the row. */
function refusalsOf(operation: Operation): number[] {
  const { route, shapes } = operation
  const closed = accessOf(route) !== undefined || route.rate === 'auth'
  const repeats = takesIdempotencyKey(route)
  const when: [number, boolean][] = [
    [400, true],
    [401, closed],
    [403, closed],
    [404, route.path.includes('{')],
    [409, (route.method !== 'GET' && changesSomething(route)) || repeats],
    [412, route.dialect === 'scim' && route.path.includes('{') && route.method !== 'GET'],
    [413, shapes.body !== undefined],
    [422, route.dialect === undefined && (shapes.body !== undefined || repeats || !takesAnyQuery(route))],
    [429, route.rate !== 'none'],
    [500, true],
    [501, isAbsent(operation)],
    [503, closed || route.uses.length > 0],
  ]
  const also = ALSO[route.id] ?? []
  return when.flatMap(([status, happens]) => (happens || also.includes(status) ? status : []))
}

/** The 304 of a versioned resource. */
const unchangedOf = ({ route, shapes }: Operation): [string, string][] =>
  shapes.versioned && route.method === 'GET' ? [['304', 'The current version has one of the tags that you sent.']] : []

/** The `responses` of an operation, by status. */
export function answersOf(operation: Operation, schemas: Schemas): Record<number, JsonSchema> {
  const { route, shapes } = operation
  const success = route.success ?? 200
  const outcomes = Object.entries(OUTCOMES[route.id] ?? {})
  const refusals = refusalsOf(operation).map((status) => [status, refusalOf(operation, status)] as const)
  const answer = (status: number, description: string): Answer => ({
    description,
    headers: headersOf(operation, status),
    ...(hasContent(status, shapes) && { content: contentOf(operation, status, schemas) }),
  })
  return {
    ...Object.fromEntries(refusals),
    ...(!REDIRECTS.includes(route.id) && !isAbsent(operation) && { [success]: answer(success, SUCCESS[success]) }),
    ...Object.fromEntries(
      [...outcomes, ...unchangedOf(operation)].map(([status, description]) => [
        status,
        answer(Number(status), description),
      ]),
    ),
  }
}

const SUCCESS = {
  200: 'Done.',
  201: 'Created.',
  202: 'Accepted. The work is done later.',
  204: 'Done. The answer has no body.',
}

const isRedirect = (status: number) => status === 302 || status === 303

const hasContent = (status: number, { response }: Operation['shapes']) =>
  status !== 204 && status !== 304 && !isRedirect(status) && !response.safeParse(undefined).success

function contentOf({ route, shapes, example: stored }: Operation, status: number, schemas: Schemas): JsonSchema {
  const mediaType = mediaTypeOf(shapes.response)
  if (mediaType) return { [mediaType]: { schema: mediaType === 'application/json' ? OBJECT : { type: 'string' } } }
  const response = schemas.output(shapes.response)
  const example = stored?.responses?.[status]
  const schema = status === 403 ? { anyOf: [response, PROBLEM] } : response // the status of a refusal, too
  return { [route.dialect === 'scim' ? SCIM_JSON : 'application/json']: { schema, ...(example && { example }) } }
}

function headersOf({ route, shapes }: Operation, status: number): JsonSchema {
  const names = [
    ...ALWAYS,
    ...(status === 201 || status === 202 || isRedirect(status) ? ['Location'] : []),
    ...(takesIdempotencyKey(route) ? ['Idempotent-Replayed'] : []),
    ...(shapes.versioned && status !== 204 ? ['ETag'] : []),
  ]
  return Object.fromEntries(names.map((name) => [name, header(name)]))
}

const DIALECTS = { scim: scimRefusal, oauth: oauthRefusal, mcp: mcpRefusal }

const refusalOf = ({ route: { dialect } }: Operation, status: number): object =>
  dialect
    ? DIALECTS[dialect](headersOfRefusal(REFUSALS[status]?.retries), status)
    : { $ref: `#/components/responses/${REFUSALS[status]?.name}` }

const PROBLEM = { $ref: '#/components/schemas/Problem' }

const DETAILS = { $ref: '#/components/schemas/ProblemDetails' }

/** `components.responses`: every refusal. */
export const RESPONSES: Record<string, Answer> = Object.fromEntries(
  Object.values(REFUSALS).map(({ name, description, example, retries }) => [
    name,
    {
      description,
      headers: headersOfRefusal(retries),
      content: { 'application/json': { schema: PROBLEM, example }, 'application/problem+json': { schema: DETAILS } },
    },
  ]),
)
