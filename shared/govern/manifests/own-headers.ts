/** Headers that the service sets itself, or that belong to the connection of the call (RFC 9110, 7.6.1). */
export const OWN_HEADERS =
  /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|host|content-.*|webhook-.*|x-webhook-.*|x-service-.*|idempotency-key|traceparent|tracestate)$/i

/** What a tenant may set once for a target, and a payload may not choose. */
const CREDENTIALS =
  /^(?:authorization|cookie|user-agent|accept-encoding|forwarded|x-forwarded-.*|x-http-method.*|x-method-override)$/i

export const isChosenByPayload = (header: string): boolean => !OWN_HEADERS.test(header) && !CREDENTIALS.test(header)
