// Makes the answers of token endpoints what RFC 6749 says. Each rule stands for providers that bend it; the library that reads
// the answers refuses what they send. Pure.
import { isObject, type JsonMap } from '../openapi/resolve.ts'

export type TokenAnswer = { status: number; text: string }

export function conformed({ status, text }: TokenAnswer): TokenAnswer {
  const body = parsed(text)
  if (!body) return { status, text }
  const isError = status >= 400 || body['error'] !== undefined || body['ok'] === false
  return isError
    ? { status: status >= 400 ? status : 400, text: JSON.stringify(asError(body)) }
    : { status: 200, text: JSON.stringify(asTokens(body)) }
}

function parsed(text: string): JsonMap | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** GitHub and Slack tell errors with status 200; others name them by `code`. */
function asError({ error, code, error_description, message }: JsonMap): JsonMap {
  const name = [error, code].find((one) => typeof one === 'string' && one !== '') ?? 'server_error'
  const words = [error_description, message].find((one) => typeof one === 'string' && one !== '')
  return { error: name, ...(words !== undefined && { error_description: words }) }
}

/** Types of Slack that mean what `bearer` does. */
const BEARER = new Set(['bearer', 'bot', 'user'])

function asTokens({ id_token: _, ...body }: JsonMap): JsonMap {
  const { token_type, refresh_token, scope, expires_in, ...rest } = body
  const type = typeof token_type === 'string' && token_type !== '' ? token_type.toLowerCase() : 'bearer'
  const seconds = Number(expires_in ?? Number.NaN)
  const words = Array.isArray(scope) ? scope.join(' ') : scope
  return {
    ...rest,
    token_type: BEARER.has(type) ? 'bearer' : token_type,
    ...(typeof refresh_token === 'string' && refresh_token !== '' && { refresh_token }),
    ...(typeof words === 'string' && { scope: words }),
    ...(Number.isFinite(seconds) && seconds > 0 && { expires_in: seconds }),
  }
}

/** Spaces or commas (GitHub, Slack) between scopes; without `scope`, all that were asked for (RFC 6749 §5.1). */
export const scopesIn = (scope: string | undefined, asked: readonly string[]): string[] =>
  scope === undefined ? [...asked] : [...new Set(scope.split(/[\s,]+/).filter(Boolean))]

// How asking a provider fails. Apart from the calls, whose library is loaded late.

/** The provider says no, with a code of RFC 6749 or its own. */
export class Refused extends Error {
  readonly code: string

  constructor(code: string) {
    super(`the provider refuses: ${code}`)
    this.code = code
  }
}

/** No answer, or none that can be used. */
export class Unanswered extends Error {}
