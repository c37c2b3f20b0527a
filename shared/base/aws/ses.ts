import { SESv2Client } from '@aws-sdk/client-sesv2'
import { clientConfig, sharedClient } from './clients.ts'

/** A mail that was taken but not confirmed in time would be sent twice. */
const REQUEST_MS = 5_000

export const ses = (): SESv2Client => sharedClient('sesv2', () => new SESv2Client(clientConfig(REQUEST_MS)))

// For callers that load this file late: importing the package itself would bundle all of it.
export { SendEmailCommand } from '@aws-sdk/client-sesv2'
