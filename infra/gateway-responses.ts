// Gives refusals by API Gateway itself the error body of the service (`functions/README.md`, "Errors"). API Gateway only
// replaces `$context` names in these texts, and does not look at `Accept`.

type Refusal = {
  status?: number
  detail: string
  code: string
  retryAfterSeconds?: number
  trace?: true
  /** The mapping that gives `WWW-Authenticate`, which API Gateway renames only in answers of functions. */
  challenge?: string
}

const THROTTLED = {
  status: 429,
  detail: 'You exceeded the rate limit. Retry in 1 seconds.',
  code: 'rate_limited',
  retryAfterSeconds: 1,
}
const MALFORMED = {
  status: 400,
  detail: 'The request is malformed. Correct it before you repeat it.',
  code: 'malformed',
}
const FORBIDDEN = {
  status: 403,
  detail: 'You may not send this request. Check its URL and your network.',
  code: 'forbidden',
}

/** Said by the authorizer, the only one that denies. */
const UNAUTHENTICATED = {
  status: 401,
  detail: 'Your credentials are invalid or expired. Sign in again or use another key.',
  code: 'unauthenticated',
  challenge: 'context.authorizer.challenge',
}

const REFUSALS: Record<string, Refusal> = {
  DEFAULT_4XX: { detail: 'The request is not valid. Correct it before you repeat it.', code: 'malformed' },
  DEFAULT_5XX: {
    detail: 'The service failed. Try again, and report the trace_id if it fails again.',
    code: 'internal',
    trace: true,
  },
  MISSING_AUTHENTICATION_TOKEN: { status: 404, detail: 'No endpoint has this path. Check the URL.', code: 'not_found' },
  REQUEST_TOO_LARGE: {
    status: 413,
    detail: 'The request body exceeds 10485760 bytes. Send a smaller one.',
    code: 'too_large',
  },
  BAD_REQUEST_BODY: MALFORMED,
  BAD_REQUEST_PARAMETERS: MALFORMED,
  THROTTLED,
  QUOTA_EXCEEDED: THROTTLED,
  WAF_FILTERED: FORBIDDEN,
  ACCESS_DENIED: UNAUTHENTICATED,
  INTEGRATION_TIMEOUT: {
    status: 504,
    detail: 'The request took too long. Check its effect before you repeat it.',
    code: 'timeout',
    trace: true,
  },
}

const EXPOSED = 'X-Request-Id, X-Correlation-Id, Retry-After, WWW-Authenticate'

/** Pages of any origin may read these answers, because they hold no data of anybody. */
const HEADERS = {
  'gatewayresponse.header.Access-Control-Allow-Origin': "'*'",
  'gatewayresponse.header.Access-Control-Expose-Headers': `'${EXPOSED}'`,
  'gatewayresponse.header.X-Request-Id': 'context.requestId',
  'gatewayresponse.header.X-Correlation-Id': 'method.request.header.X-Correlation-Id',
  'gatewayresponse.header.Cache-Control': "'no-store'",
  'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
  'gatewayresponse.header.Strict-Transport-Security': "'max-age=63072000; includeSubDomains'",
}

function gatewayResponse({ status, detail, code, retryAfterSeconds, trace, challenge }: Refusal): object {
  const body = {
    detail,
    code,
    ...(trace && { trace_id: '$context.xrayTraceId' }),
    request_id: '$context.requestId',
  }
  return {
    ...(status && { statusCode: status }),
    responseParameters: {
      ...HEADERS,
      ...(challenge && { 'gatewayresponse.header.WWW-Authenticate': challenge }),
      ...(retryAfterSeconds && { 'gatewayresponse.header.Retry-After': `'${retryAfterSeconds}'` }),
    },
    responseTemplates: { 'application/json': JSON.stringify(body) },
  }
}

/** The answer of the local gateway under overload. API Gateway itself answers `THROTTLED`. */
export const BUSY = gatewayResponse({
  status: 503,
  detail: 'The service is busy. Repeat the request in a second.',
  code: 'busy',
  retryAfterSeconds: 1,
  trace: true,
})

/** `x-amazon-apigateway-gateway-responses` by response type. */
export const GATEWAY_RESPONSES: Record<string, object> = Object.fromEntries(
  Object.entries(REFUSALS).map(([type, refusal]) => [type, gatewayResponse(refusal)]),
)

/** The same, where API Gateway does not take what an authorizer says for a header: clients find the rest by the path. */
export const WITH_FIXED_CHALLENGE: Record<string, object> = {
  ...GATEWAY_RESPONSES,
  ACCESS_DENIED: gatewayResponse({
    ...UNAUTHENTICATED,
    challenge: `'Bearer scope="agent:execute governance:read offline_access"'`,
  }),
}
