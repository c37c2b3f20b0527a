import { Failure } from '../lib/failure.ts'

/** The one answer to a credential that is missing, invalid or expired. */
export const unauthenticated = (): Failure =>
  new Failure('unauthenticated', 'Your credentials are invalid or expired. Sign in again or use another key.', {
    headers: {
      'WWW-Authenticate': `Bearer realm="countersign", resource_metadata="${process.env.BASE_URL}/.well-known/oauth-protected-resource"`,
    },
  })
